CREATE TABLE StringIds (
  -- Every text that occurs more than once; other tables refer to it by id.
  id INTEGER NOT NULL PRIMARY KEY,  -- dense from 0; 0 is '[Unknown]'
  value TEXT NOT NULL               -- UTF-8, unique
);
