CREATE TABLE ProcessStreams (
  -- {docs stdout and stderr, where they could be kept (see prof-profile(1), `--show-output`)}
  -- What a process wrote to its standard streams.
  globalPid INTEGER NOT NULL,   -- {uint64} see docs/schema.md, Serialized ids
  filenameId INTEGER NOT NULL,  -- {uint32} StringIds.id: file it went to
  contentId INTEGER NOT NULL    -- {uint32} StringIds.id: the content
);
