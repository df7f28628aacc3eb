CREATE TABLE PROF_CODE_PLACES (
  -- {row CodePlaceRow nullable ordered}
  -- {docs file, offset and build-id of the addresses in native call chains; prof's own}
  -- Where in a file the native code of call chains lies; prof's own.
  module INTEGER NOT NULL,          -- {- module:int32} StringIds.id: the file, as in the rows of frames
  originalIP INTEGER NOT NULL,      -- {- address} address in the process, as in the rows of frames
  isReturnAddress INTEGER NOT NULL, -- {- is_return_address:int32} 1: a call returns there, and ends one byte before it
  fileOffset INTEGER NOT NULL,      -- {- offset} of originalIP
  buildId INTEGER                   -- {- build_id:int32} StringIds.id: of the file, hexadecimal; NULL: it has none
);
