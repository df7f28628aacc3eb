CREATE TABLE PROF_SAMPLE_CHAINS (
  -- {row SampleChainRow}
  -- {docs what `SAMPLING_CALLCHAINS` shows, stored once: the call chains of CPU samples, and their frames}
  -- Call chains of CPU samples, each different one once; prof's own.
  id INTEGER NOT NULL PRIMARY KEY,  -- {int64 id} COMPOSITE_EVENTS.callchainId
  frames TEXT NOT NULL              -- {text frames} PROF_SAMPLE_FRAMES.id of each frame, innermost first: a JSON array
);
