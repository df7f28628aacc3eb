CREATE TABLE PROF_CODE_PLACES (
  -- Where in a file the native code of call chains lies; prof's own.
  module INTEGER NOT NULL,          -- StringIds.id: the file, as in the rows of frames
  originalIP INTEGER NOT NULL,      -- address in the process, as in the rows of frames
  isReturnAddress INTEGER NOT NULL, -- 1: a call returns there, and ends one byte before it
  fileOffset INTEGER NOT NULL,      -- of originalIP
  buildId INTEGER                   -- StringIds.id: of the file, hexadecimal; NULL: it has none
);
