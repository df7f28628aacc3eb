CREATE TABLE CUDA_GRAPH_EVENTS (
  -- {docs CUDA graphs and executable graphs when they are made}
  -- Graphs and executable graphs as they were made.
  start INTEGER NOT NULL,  -- {int64} ns
  end INTEGER NOT NULL,  -- {int64} ns
  eventClass INTEGER NOT NULL,  -- {uint32} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,  -- {uint64} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,  -- {uint64} StringIds.id
  graphId INTEGER,  -- {uint32} the graph it was instantiated from
  originalGraphId INTEGER,  -- {uint32}
  graphExecId INTEGER  -- {uint32}
);
