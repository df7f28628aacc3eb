CREATE TABLE StringIds (
  -- {row StringRow}
  -- {docs texts by id; 0–4 are fixed (`[Unknown]`, …)}
  -- Every text that occurs more than once; other tables refer to it by id.
  id INTEGER NOT NULL PRIMARY KEY,  -- {int32 id:int64} dense from 0; 0 is '[Unknown]'
  value TEXT NOT NULL               -- {text value} UTF-8, unique
);
