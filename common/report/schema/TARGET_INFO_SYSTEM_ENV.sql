CREATE TABLE TARGET_INFO_SYSTEM_ENV (
  -- {docs the machine; no environment variables. `GpuTopology`, prof's own (`nameEnum` 0), is what `prof status --gpus --json` prints; with `--enable=nvml_metrics`}
  -- The machine the target ran on. Never holds environment variables.
  globalVid INTEGER,             -- {uint64} see docs/schema.md, Serialized ids
  devStateName TEXT NOT NULL,    -- {text} 'Local (CLI)'
  name TEXT NOT NULL,            -- {text} property
  nameEnum INTEGER NOT NULL,     -- {int32} nsys's number for the property
  value TEXT NOT NULL  -- {text}
);
