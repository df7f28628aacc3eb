CREATE TABLE CUDA_GRAPH_NODE_EVENTS (
  -- {docs nodes of CUDA graphs when they are made, with `--cuda-graph-trace=node`}
  -- Nodes of graphs as they were made, cloned and updated; only with --cuda-graph-trace=node.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  eventClass INTEGER NOT NULL,  -- ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,  -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,  -- StringIds.id
  graphNodeId INTEGER NOT NULL,  -- unique in its process
  originalGraphNodeId INTEGER,  -- the node that it is a copy of from now on; NULL: none
  callchainId INTEGER  -- CUDA_CALLCHAINS.id; NULL: none taken; ours
);
