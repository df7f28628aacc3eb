CREATE TABLE PROF_CLOCKS (
  -- {docs readings of the machine's clocks, every 10 s, with the boot id and how well the wall clock is synchronized; for putting reports on one timeline; prof's own}
  -- Readings of all clocks at the beginning, about every 10 s, and at the end; prof's own.
  time INTEGER NOT NULL,             -- ns on the report's timeline
  monotonicRaw INTEGER NOT NULL,     -- CLOCK_MONOTONIC_RAW, ns: the clock of the timeline
  monotonic INTEGER NOT NULL,        -- CLOCK_MONOTONIC, ns
  boottime INTEGER NOT NULL,         -- CLOCK_BOOTTIME, ns
  realtime INTEGER NOT NULL,         -- CLOCK_REALTIME, ns since the epoch
  tai INTEGER NOT NULL,              -- CLOCK_TAI, ns since the epoch
  uncertainty INTEGER NOT NULL,      -- the others were read within this distance of monotonicRaw, ns
  ntpOffset INTEGER NOT NULL,        -- of CLOCK_REALTIME, that the kernel is removing, ns
  ntpFrequency INTEGER NOT NULL,     -- correction of the clock's rate, parts per billion
  ntpMaxError INTEGER NOT NULL,      -- of CLOCK_REALTIME, by the kernel's word, ns
  ntpEstimatedError INTEGER NOT NULL,  -- the same, expected, ns
  ntpStatus INTEGER NOT NULL,        -- bits of timex.status, see adjtimex(2)
  isSynchronized INTEGER NOT NULL,   -- 1: CLOCK_REALTIME is synchronized, by the kernel's word
  bootId TEXT NOT NULL,              -- reports with the same one share monotonicRaw
  namespaceShift INTEGER NOT NULL    -- what a time namespace adds to monotonicRaw, ns
);
