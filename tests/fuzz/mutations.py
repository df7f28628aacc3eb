"""Ways to damage a report."""
import sqlite3

INT64_MAX = (1 << 63) - 1
NUMBERS = [0, 1, -1, 2, 255, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 32, (1 << 48) | (7 << 24), 1 << 53, 10 ** 18,
           INT64_MAX, INT64_MAX - 1, -INT64_MAX, -INT64_MAX - 1]
REALS = [0.5, -0.0, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), 9.3e18]
TEXTS = ["", "x", "-1", "1e999", "nan", "%s%n", "\0zero", "\x1b[31m", "a" * 70000, "1" * 400, "\u2028", "../../etc/passwd", "/",
         "/dev/zero", "/proc/self/exe", "/proc/self/maps"]
BLOBS = [b"", b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\0" * 4096, b"\xc3\x28" * 1000]
# SQL expressions in place of a column's value. {c}: the column.
EXPRESSIONS = ["NULL", "-{c}", "{c} + 1", "{c} - 1", "{c} * 1000000", "CAST({c} AS TEXT)", "CAST({c} AS BLOB)", "CAST({c} AS REAL)",
               "-9223372036854775807 - 1", "9223372036854775807", "9e999", "-9e999", "random()", "abs(random() % 10)",
               "rowid", "zeroblob(100000)", "x'80ff'", "{c} << 32", "~{c}", "(rowid * 7919) % 101 - 50", "CAST(x'80ff41' AS TEXT)"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Damage:
    """Damages one report. `chance`: a random.Random."""

    def __init__(self, path, chance):
        self.chance = chance
        self.path = path
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("PRAGMA journal_mode = OFF")
        self.database.execute("PRAGMA synchronous = OFF")
        self.database.execute("BEGIN")

    def tables(self, empty=False):
        names = [row[0] for row in self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return names if empty else [name for name in names if self.database.execute(f"SELECT 1 FROM {quoted(name)} LIMIT 1").fetchone()]

    def table(self):
        tables = self.tables()
        events = [name for name in tables if not name.startswith(("ENUM_", "META_DATA", "TARGET_INFO"))]
        return self.chance.choice(events if events and self.chance.random() < 0.85 else tables)

    def columns(self, table):
        return [row[1] for row in self.database.execute(f"PRAGMA table_info({quoted(table)})")]

    def column(self, table):
        return self.chance.choice(self.columns(table))

    def rows(self, table):
        """A condition that selects some rows."""
        count = self.database.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()[0]
        offset = self.chance.randrange(max(count, 1))
        first = f"rowid = (SELECT rowid FROM {quoted(table)} LIMIT 1 OFFSET {offset})"
        return self.chance.choice([first, first, "1", f"rowid % {self.chance.randint(2, 9)} = 0"])

    def loosen(self, table):
        """Removes the types and constraints of the table's columns."""
        names = ", ".join(quoted(name) for name in self.columns(table))
        self.database.execute(f"ALTER TABLE {quoted(table)} RENAME TO strict_before")
        self.database.execute(f"CREATE TABLE {quoted(table)} ({names})")
        self.database.execute(f"INSERT INTO {quoted(table)} SELECT * FROM strict_before")
        self.database.execute("DROP TABLE strict_before")

    def value(self):
        table = self.table()
        if self.chance.random() < 0.7:
            self.loosen(table)
        kinds = [NUMBERS, NUMBERS, REALS, TEXTS, BLOBS, [None]]
        value = self.chance.choice(self.chance.choice(kinds))
        self.update(table, self.column(table), "?", value)

    def expression(self):
        table = self.table()
        column = self.column(table)
        if self.chance.random() < 0.7:
            self.loosen(table)
        self.update(table, column, self.chance.choice(EXPRESSIONS).format(c=quoted(column)))

    def update(self, table, column, expression, *values):
        self.database.execute(f"UPDATE OR IGNORE {quoted(table)} SET {quoted(column)} = {expression} WHERE {self.rows(table)}", values)

    def times(self):
        """Events whose times are reversed, far away, or equal."""
        timed = [name for name in self.tables() if "start" in self.columns(name)]
        table = self.chance.choice(timed)
        columns = [name for name in self.columns(table) if name in ("start", "end")]
        wild = ["start - 1", "9223372036854775807", "-9223372036854775807 - 1", "0", "start + random() % 1000000000000",
                "4611686018427387904 * (rowid % 2)", "start * 1000", "-start", "start + 9000000000000000000", "rowid"]
        for column in columns[-self.chance.randint(1, 2):]:
            self.update(table, column, self.chance.choice(wild))

    def copy_rows(self):
        """The same rows again, in other words the same ids."""
        table = self.table()
        if self.chance.random() < 0.8:
            self.loosen(table)
        for _ in range(self.chance.choice([1, 1, 3])):
            self.database.execute(f"INSERT OR IGNORE INTO {quoted(table)} SELECT * FROM {quoted(table)} WHERE {self.rows(table)} LIMIT 5000")

    def swap_rows(self):
        """Values of one column in another."""
        table = self.table()
        self.loosen(table)
        self.update(table, self.column(table), quoted(self.column(table)))

    def remove_rows(self):
        table = self.table()
        self.database.execute(f"DELETE FROM {quoted(table)} WHERE {self.rows(table)}")

    def drop_table(self):
        self.database.execute(f"DROP TABLE {quoted(self.table())}")

    def drop_column(self):
        table = self.table()
        kept = self.columns(table)
        kept.remove(self.chance.choice(kept))
        if not kept:
            return
        self.database.execute(f"CREATE TABLE kept_before AS SELECT {', '.join(map(quoted, kept))} FROM {quoted(table)}")
        self.database.execute(f"DROP TABLE {quoted(table)}")
        self.database.execute(f"ALTER TABLE kept_before RENAME TO {quoted(table)}")

    def rename_column(self):
        table = self.table()
        self.database.execute(f"ALTER TABLE {quoted(table)} RENAME COLUMN {quoted(self.column(table))} TO "
                              + quoted(self.chance.choice(["x", "rowid", "start2", self.column(self.table())])))

    def add_table(self):
        """A table that the report did not have, with unexpected columns, or as a view."""
        name = self.chance.choice(["MPI_P2P_EVENTS", "OPENMP_EVENT_KIND_PARALLEL", "CUDNN_EVENTS", "CUDA_GRAPH_EVENTS", "UVM",
                                   "PROF_CODE_PLACES", "SCHED_EVENTS", "COMPOSITE_EVENTS", "GENERIC_EVENTS", "OPENACC_OTHER_EVENTS",
                                   "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "GPU_METRICS"])
        source = quoted(self.table())
        kind = self.chance.choice(["TABLE", "VIEW"])
        self.database.execute(f"DROP TABLE IF EXISTS {name}")
        self.database.execute(f"CREATE {kind} {name} AS SELECT * FROM {source}")

    def view(self):
        """A view in place of a table; it can refer to itself, fail, or have no end."""
        table = self.table()
        columns = self.columns(table)
        names = ", ".join(map(quoted, columns))
        self.database.execute(f"ALTER TABLE {quoted(table)} RENAME TO hidden_before")
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT " + ", ".join("i" for _ in columns) + " FROM n"
        body = self.chance.choice([f"SELECT {names} FROM hidden_before", f"SELECT {names} FROM {quoted(table)}", "SELECT 1",
                                   f"SELECT {names} FROM missing", f"SELECT {names} FROM hidden_before, hidden_before", endless])
        self.database.execute(f"CREATE VIEW {quoted(table)} ({names}) AS {body}" if body[:6] != "SELECT" or "hidden_before," not in body
                              else f"CREATE VIEW {quoted(table)} AS {body}")

    def trigger(self):
        table = quoted(self.table())
        self.database.execute(f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END")
        self.database.execute(f"CREATE INDEX i ON {table} ({quoted(self.column(self.table()))})")

    def ids(self):
        """Ids of names, chains, correlations and threads that lead nowhere, to another row, or in circles."""
        found = [(table, column) for table in self.tables() for column in self.columns(table)
                 if column.lower().endswith(("id", "ids", "name", "tid", "pid", "symbol", "module", "parent", "depth"))]
        table, column = self.chance.choice(found)
        if self.chance.random() < 0.7:
            self.loosen(table)
        self.update(table, column, self.chance.choice(["?", "?", quoted(column) + " + ?", "rowid", "(rowid * 31) % 17"]).replace("?", str(
            self.chance.choice(NUMBERS))))

    def big(self):
        """Values that are far larger than any name, and many rows."""
        size = self.chance.choice([1 << 20, 8 << 20, 40 << 20])
        made = self.chance.choice([f"zeroblob({size})", f"CAST(zeroblob({size}) AS TEXT)", f"hex(zeroblob({size // 2}))",
                                   f"replace(hex(zeroblob({size // 8})), '00', x'ffc3')", f"replace(hex(zeroblob({size // 16})), '00', '<\"\\')"])
        table = "StringIds" if self.chance.random() < 0.6 else self.table()
        self.loosen(table)
        texts = [name for name in self.columns(table) if name.lower().endswith(("value", "text", "name", "path"))]
        column = self.chance.choice(texts or self.columns(table))
        count = self.database.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()[0]
        where = f"rowid = (SELECT rowid FROM {quoted(table)} LIMIT 1 OFFSET {self.chance.randrange(count)})"
        self.database.execute(f"UPDATE {quoted(table)} SET {quoted(column)} = {made} WHERE {where}")

    def many(self):
        """Thousands of rows that are alike, for loops that look at pairs."""
        table = self.table()
        self.loosen(table)
        columns = self.columns(table)
        changed = set(self.chance.sample(columns, min(len(columns), 2)))
        values = ", ".join(f"{quoted(name)} + n.i" if name in changed else quoted(name) for name in columns)
        self.database.execute(f"INSERT INTO {quoted(table)} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                              f"SELECT {values} FROM (SELECT * FROM {quoted(table)} LIMIT 1), n")

    WAYS = ["value"] * 5 + ["expression"] * 4 + ["times"] * 4 + ["ids"] * 4 + ["copy_rows"] * 2 + ["swap_rows"] * 2 + [
        "remove_rows", "drop_table", "drop_column", "rename_column", "add_table", "view", "trigger", "big", "many"]

    def by_sql(self):
        done = []
        for way in self.chance.choices(self.WAYS, k=self.chance.choice([1, 1, 2, 3, 5])):
            seen = []
            self.database.set_trace_callback(seen.append)
            try:
                getattr(self, way)()
            except (sqlite3.Error, IndexError, OverflowError, ValueError) as error:  # this damage does not fit
                seen.append(str(error))
            self.database.set_trace_callback(None)
            done.append(way + ": " + " / ".join(line for line in seen[-2:] if "strict_before" not in line)[:300])
        try:
            self.database.execute("COMMIT")
        except sqlite3.Error as error:
            done.append(str(error))
        self.database.close()
        return done


def by_bytes(path, chance):
    """Changes bytes as a bad disk or a broken copy does."""
    data = bytearray(path.read_bytes())
    ways = []
    for _ in range(chance.choice([1, 2, 8, 40])):
        page = chance.randrange(max(len(data) // 4096, 1)) * 4096
        way = chance.choice(["byte", "byte", "word", "page header", "zeros", "copy page", "file header", "cut"])
        at = chance.randrange(len(data))
        if way == "byte":
            data[at] = chance.randrange(256)
        elif way == "word":
            data[at:at + 8] = chance.choice(NUMBERS).to_bytes(16, "big", signed=True)[8:]
        elif way == "page header":
            data[page + chance.randrange(12)] = chance.randrange(256)
        elif way == "zeros":
            data[at:at + 512] = bytes(len(data[at:at + 512]))
        elif way == "copy page":
            other = chance.randrange(max(len(data) // 4096, 1)) * 4096
            data[page:page + 4096] = data[other:other + 4096]
        elif way == "file header":
            data[chance.randrange(16, 100)] = chance.randrange(256)
        elif len(data) > 8192 and chance.random() < 0.2:
            del data[chance.randrange(4096, len(data)):]
        ways.append(way)
    path.write_bytes(data)
    return ways


def damage(path, chance):
    """Damages the report and returns what was done."""
    done = []
    if chance.random() < 0.85:
        done = Damage(path, chance).by_sql()
    if not done or chance.random() < 0.05:
        done += by_bytes(path, chance)
    return done
