CREATE TABLE PROF_GRAPH_RANGES (
  -- {docs NVTX ranges around the capture of CUDA graphs, outside of capture ranges; prof's own}
  -- NVTX push/pop ranges in which nodes of CUDA graphs were made while nothing was recorded; prof's own.
  start INTEGER NOT NULL,      -- ns; negative: before the recording
  end INTEGER NOT NULL,        -- ns; of a range that never ended that of the recording
  globalTid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  domainId INTEGER NOT NULL,   -- as in NVTX_EVENTS
  textId INTEGER               -- StringIds.id; NULL: no text
);
