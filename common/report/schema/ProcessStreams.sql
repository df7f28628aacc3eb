CREATE TABLE ProcessStreams (
  -- What a process wrote to its standard streams.
  globalPid INTEGER NOT NULL,   -- see docs/schema.md, Serialized ids
  filenameId INTEGER NOT NULL,  -- StringIds.id: file it went to
  contentId INTEGER NOT NULL    -- StringIds.id: the content
);
