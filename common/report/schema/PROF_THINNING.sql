CREATE TABLE PROF_THINNING (
  -- {docs what `--max-overhead` left out and when, by thread and kind; `OSRT_API` and `NVTX_EVENTS` then have a last column `weight`, the number of events that a row stands for; prof's own}
  -- What --max-overhead left out, by thread and kind of event, about each second; prof's own.
  start INTEGER NOT NULL,      -- ns
  end INTEGER NOT NULL,        -- ns
  globalTid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  kindId INTEGER NOT NULL,     -- StringIds.id: kind of event
  events INTEGER NOT NULL,     -- how many there were
  recorded INTEGER NOT NULL,   -- how many of them were recorded
  cost INTEGER NOT NULL        -- of recording on this thread, as prof estimates it, ns
);
