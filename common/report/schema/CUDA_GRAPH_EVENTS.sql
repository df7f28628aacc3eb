CREATE TABLE CUDA_GRAPH_EVENTS (
  -- Graphs and executable graphs as they were made.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  eventClass INTEGER NOT NULL,  -- ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,  -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,  -- StringIds.id
  graphId INTEGER,  -- the graph it was instantiated from
  originalGraphId INTEGER,
  graphExecId INTEGER
);
