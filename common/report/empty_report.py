"""Writes a report that has the tables of all reports, and rows in its ENUM tables only:
empty_report.py OUTPUT.db PAGE_SIZE ENUMS.tsv SCHEMA.sql...

Every report starts as a copy of this file. To create these tables with SQL takes two milliseconds."""
import os
import sqlite3
import sys

from tables import read_table

output, page_size, enums, *schemas = sys.argv[1:]
if os.path.exists(output):
    os.unlink(output)
database = sqlite3.connect(output, isolation_level=None)
database.execute(f"PRAGMA page_size = {page_size}")  # docs/decisions/0004-report-writing.md
database.execute("BEGIN")
tables = {}
with open(enums, encoding="utf-8") as lines:
    for line in lines:
        table, number, name, label = line.rstrip("\n").split("\t")
        tables.setdefault(table, []).append((int(number), name, label))
for table, values in tables.items():
    database.execute(f"CREATE TABLE {table} (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)")
    database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", values)
for schema in schemas:
    database.execute(read_table(schema).statement)
database.execute("COMMIT")
database.close()
