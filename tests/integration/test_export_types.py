"""prof export: its types with rows, and nsys's options for rows, columns and files."""
import gzip
import json
import os
import shutil
import sqlite3
import subprocess

import pytest
from profiling import MORE_TRUTH, PROF, Report, prof, unpacked

TRUE_EXPORTS = MORE_TRUTH / "exports"
MARK, PUSH_POP, DOMAIN = 34, 59, 75


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    """A report of nsys."""
    return Report(unpacked(tmp_path_factory.mktemp("zoo") / "zoo.sqlite"))


@pytest.fixture
def made(tmp_path):
    """A report with an event of each kind of time."""
    path = tmp_path / "made.db"
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, jsonText TEXT,
                                  jsonTextId INTEGER, binaryData BLOB, doubleValue REAL, globalTid, domainId, textId);
        CREATE TABLE OSRT_FILE_ACCESS_EVENTS (startedAt INTEGER, endedAt INTEGER);
        CREATE TABLE GPU_METRICS (timestamp INTEGER, value INTEGER, typeId, metricId);
        CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        CREATE TABLE EMPTY (id INTEGER);
        INSERT INTO StringIds VALUES (1, 'read');
        INSERT INTO OSRT_API VALUES (100, 200, 1), (150, 350, 1), (300, 400, 1), (450, 500, 1);
        INSERT INTO NVTX_EVENTS VALUES
          (10, NULL, 75, 'domain', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          (120, 130, 59, 'in', '{"a":1}', 1, x'00ff', 1.5, NULL, NULL, NULL),
          (600, NULL, 34, 'mark', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (100, 110), (600, 610);
        INSERT INTO GPU_METRICS (timestamp, value) VALUES (-5, 1), (200, 2);
        INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_SHIFT', '0'), ('EXPORT_PRODUCT_NAME', 'made');
    """)
    database.commit()
    database.close()
    return Report(path)


def rows(path, table, columns="*"):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    return [tuple(row) for row in database.execute(f"SELECT {columns} FROM {table} ORDER BY rowid")]


def tables_of(path):
    return {row[0] for row in rows(path, "sqlite_master", "name") if not row[0].startswith("sqlite_")}


def exported(report, folder, *options, to="sqlite", ending=".sqlite"):
    path = folder / ("out" + ending)
    done = prof("export", "-t", to, "-f", "true", "-o", path, *options, report.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return path


def test_sqlite_is_a_copy(zoo, tmp_path):
    copy = exported(zoo, tmp_path)
    with_rows = {table for table in tables_of(zoo.path) if zoo.value(f'SELECT COUNT(*) FROM "{table}"')}
    assert tables_of(copy) == with_rows
    for table in with_rows - {"META_DATA_EXPORT"}:
        assert rows(copy, table) == rows(zoo.path, table), table
    schemas = [dict(sqlite3.connect(path).execute("SELECT name, sql FROM sqlite_master")) for path in (copy, zoo.path)]
    assert all(schemas[0][table] == schemas[1][table] for table in with_rows)
    parameters = dict(rows(copy, "META_DATA_EXPORT"))
    assert parameters["EXPORT_PARAM_OUTPUT_PATH_ABS"] == str(copy)
    assert prof("stats", "-q", "-r", "cuda_gpu_kern_sum", copy).stdout == \
        prof("stats", "-q", "-r", "cuda_gpu_kern_sum", zoo.path).stdout


def test_empty_tables_with_lazy_false(made, tmp_path):
    assert "EMPTY" not in tables_of(exported(made, tmp_path))
    whole = exported(made, tmp_path, "--lazy=false")
    assert {"EMPTY", "CUPTI_ACTIVITY_KIND_KERNEL", "SCHED_EVENTS"} <= tables_of(whole)
    assert rows(whole, "OSRT_API") == rows(made.path, "OSRT_API") and rows(whole, "SCHED_EVENTS") == []


def test_json_lines(zoo, tmp_path):
    found = {}
    with open(exported(zoo, tmp_path, to="jsonlines", ending=".jsonl"), encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            assert list(row) == sorted(row)
            found.setdefault(row.pop("table"), []).append(row)
    for table in tables_of(zoo.path):
        expected = [{key: row[key] for key in row.keys() if row[key] is not None}
                    for row in zoo.query(f'SELECT * FROM "{table}" ORDER BY rowid')]
        assert found.get(table, []) == expected, table


def test_text(made, tmp_path):
    path = exported(made, tmp_path, "--include-json", "--include-blobs", to="text", ending=".txt")
    lines = path.read_text().splitlines()
    assert "OSRT_API { start: 100 end: 200 nameId: 1 }" in lines
    assert ('NVTX_EVENTS { start: 120 end: 130 eventType: 59 text: "in" jsonText: "{\\"a\\":1}" jsonTextId: 1 '
            'binaryData: "00ff" doubleValue: 1.5 }') in lines
    assert lines[-1] == 'StringIds { id: 1 value: "read" }'
    assert len(lines) == sum(made.value(f"SELECT COUNT(*) FROM {table}") for table in tables_of(made.path))


def test_info_is_what_prof_info_prints(made):
    assert prof("export", "-t", "info", "-o", "-", made.path).stdout == prof("info", made.path).stdout


def test_payloads_only_if_asked_for(made, tmp_path):
    columns = "jsonText, jsonTextId, binaryData"
    assert set(rows(exported(made, tmp_path), "NVTX_EVENTS", columns)) == {(None, None, None)}
    assert rows(exported(made, tmp_path, "--include-json=true"), "NVTX_EVENTS", columns)[1] == ('{"a":1}', 1, None)
    assert rows(exported(made, tmp_path, "--include-blobs"), "NVTX_EVENTS", columns)[1] == (None, None, b"\0\xff")


@pytest.mark.parametrize("times, kept", [
    ("100/200", {100}), ("100ns/0.2us", {100}), ("50ns50ns/", {100, 150, 300, 450}), ("/400", {100, 150, 300}),
    (":160/400", {100, 150, 300}), ("140/320:", {150, 300}), (":180/310:", {100, 150, 300}),
    ("90/210,440/510", {100, 450}), ("-10/0", set())])
def test_times(made, tmp_path, times, kept):
    copy = exported(made, tmp_path, f"--times={times}")
    assert {row[0] for row in rows(copy, "OSRT_API")} if kept else "OSRT_API" not in tables_of(copy)
    if kept:
        assert {row[0] for row in rows(copy, "OSRT_API")} == kept
    assert rows(copy, "StringIds") == [(1, "read")]  # without a time
    assert rows(copy, "NVTX_EVENTS", "text")[0] == ("domain",)  # a name


def test_times_of_other_columns(made, tmp_path):
    copy = exported(made, tmp_path, "--times=-10/500")
    assert rows(copy, "OSRT_FILE_ACCESS_EVENTS") == [(100, 110)]
    assert rows(copy, "GPU_METRICS", "timestamp, value") == [(-5, 1), (200, 2)]
    assert rows(copy, "NVTX_EVENTS", "text") == [("domain",), ("in",)]


def test_shifted_times(made, tmp_path):
    for options, shift in ((("--ts-shift=-50",), -50), (("--ts-normalize",), 1000000),
                           (("--ts-normalize=true", "--ts-shift", "7"), 1000007)):
        copy = exported(made, tmp_path, *options)
        for table, columns in (("OSRT_API", "start, end"), ("NVTX_EVENTS", "start, end"),
                               ("OSRT_FILE_ACCESS_EVENTS", "startedAt, endedAt"), ("GPU_METRICS", "timestamp")):
            assert rows(copy, table, columns) == [
                tuple(value if value is None else value + shift for value in row)
                for row in rows(made.path, table, columns)]
        assert rows(copy, "TARGET_INFO_SESSION_START_TIME") == [(1000000,)]
    # The times to keep are those of the report.
    assert rows(exported(made, tmp_path, "--ts-shift=1000", "--times=100/200"), "OSRT_API") == [(1100, 1200, 1)]
    parameters = dict(rows(exported(made, tmp_path, "--ts-shift=7"), "META_DATA_EXPORT"))
    assert parameters == {"EXPORT_PARAM_TIME_SHIFT": "7", "EXPORT_PRODUCT_NAME": "made"}


def test_tables(made, tmp_path):
    for patterns, tables in (("osrt_api", {"OSRT_API"}), ("OSRT.*", {"OSRT_API", "OSRT_FILE_ACCESS_EVENTS"}),
                             ("StringIds,GPU_.*", {"StringIds", "GPU_METRICS"}),
                             (r"\(OSRT\|NVTX\)_[A-Z]*", {"OSRT_API", "NVTX_EVENTS"})):
        assert tables_of(exported(made, tmp_path, "--tables", patterns)) == tables
    document = json.loads(prof("export", "--json", "--tables=gpu.*", "--ts-shift=5", made.path).stdout)
    assert document["tables"] == {"GPU_METRICS": [{"timestamp": 0, "value": 1}, {"timestamp": 205, "value": 2}]}


def test_separate_strings(made, tmp_path):
    document = json.loads(prof("export", "--json", "--separate-strings", made.path).stdout)
    assert document["tables"]["OSRT_API"][0] == {"start": 100, "end": 200, "nameId": 1}
    assert document["tables"]["StringIds"] == [{"id": 1, "value": "read"}]
    document = json.loads(prof("export", "--json", "--separate-strings=false", made.path).stdout)
    assert document["tables"]["OSRT_API"][0] == {"start": 100, "end": 200, "nameId": 1, "name": "read"}
    for kind, ending in (("jsonlines", ".jsonl"), ("text", ".txt")):  # have them in lines of their own anyway
        plain = exported(made, tmp_path, to=kind, ending=ending).read_text()
        assert exported(made, tmp_path, "--separate-strings=true", to=kind, ending=ending).read_text() == plain


def test_files(made, tmp_path):
    other = tmp_path / "other.db"
    shutil.copy(made.path, other)
    done = prof("export", "-t", "jsonlines", made.path, other)
    names = [str(tmp_path / "made.jsonl"), str(tmp_path / "other.jsonl")]
    assert done.returncode == 0 and done.stderr == "".join(f"prof: wrote {name}\n" for name in names)
    assert prof("export", "-q", "-t", "text", made.path).stderr == ""
    folder = tmp_path / "folder"
    folder.mkdir()
    assert prof("export", "-t", "perfetto", "-o", folder, made.path, other).returncode == 0
    assert {path.name for path in folder.iterdir()} == {"made.pftrace", "other.pftrace"}
    both = prof("export", "-t", "jsonlines", "-o", "-", made.path, other).stdout
    assert both == (tmp_path / "made.jsonl").read_text() + (tmp_path / "other.jsonl").read_text()
    done = prof("export", "-t", "jsonlines", "-o", tmp_path / "none", made.path, other)
    assert done.returncode == 2 and "folder" in done.stderr
    packed = exported(made, tmp_path, to="jsonlines", ending=".jsonl.gz")
    assert gzip.decompress(packed.read_bytes()).decode() == (tmp_path / "made.jsonl").read_text()


def test_append(made, tmp_path):
    path = exported(made, tmp_path, to="jsonlines", ending=".jsonl")
    once = path.read_text()
    assert prof("export", "-t", "jsonlines", "--append", "-o", path, made.path).returncode == 0
    assert path.read_text() == 2 * once
    new = tmp_path / "new.jsonl"
    assert prof("export", "-t", "jsonlines", "--append=true", "-o", new, made.path).returncode == 0
    assert new.read_text() == once


@pytest.mark.parametrize("options, status, message", [
    (("-t", "sqlit"), 2, "; did you mean sqlite?"),
    (("-t", "jsonlines", "--tables=NVTX_EVENT"), 1, "no table NVTX_EVENT; did you mean NVTX_EVENTS?"),
    (("-t", "jsonlines", r"--tables=\(a"), 1, "bad pattern of tables: \\(a"),
    (("-t", "jsonlines", "--times=5"), 2, "bad time range 5: write [:]START/END[:]"),
    (("-t", "jsonlines", "--times=9/5"), 2, "ends before it starts"),
    (("-t", "jsonlines", "--times=1x/5"), 2, "bad time range"),
    (("-t", "jsonlines", "--ts-shift=99999999999999999999"), 2, "--ts-shift"),
    (("-t", "jsonlines", "--ts-shift=999999999999999999"), 2, "at most nine years"),
    (("-t", "sqlite", "-o", "-"), 2, "cannot be written to stdout"),
    (("-t", "sqlite", "--append"), 2, "--append needs --type=jsonlines, text, arrowdir or parquetdir"),
    (("-t", "info", "--tables=OSRT_API"), 2, "--tables needs"),
    (("-t", "info", "--ts-shift=5"), 2, "another type than info"),
    (("-t", "sqlite", "--separate-strings"), 2, "--separate-strings needs --type=json, jsonlines or text"),
    (("-t", "sqlite", "--samples=cpu"), 2, "--samples needs a format of samples"),
    (("-t", "sqlite", "-f", "true", "-o", "made.db"), 1, "is the report itself"),
    (("-t", "sqlite", "-o", "no/such/folder.sqlite"), 1, "cannot write")])
def test_bad_options_are_one_line(made, tmp_path, options, status, message):
    before = made.path.read_bytes()
    done = prof("export", *options, "made.db", cwd=tmp_path)
    assert done.returncode == status and done.stdout == "" and done.stderr.count("\n") == 1
    assert message in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["made.db"] and made.path.read_bytes() == before


def test_no_session_start(tmp_path):
    path = tmp_path / "bare.db"
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                           "CREATE TABLE OSRT_API (start, end);")
    database.close()
    done = prof("export", "-t", "jsonlines", "--ts-normalize", path)
    assert done.returncode == 1 and "does not say when its session began" in done.stderr


DOCUMENTS = ["jsonlines", "json", "text", "perfetto", "chrome"]


@pytest.mark.parametrize("kind", ["sqlite", *DOCUMENTS])
def test_no_half_file_is_left(zoo, tmp_path, kind):
    # No file may become larger than 4 blocks of 1024 bytes.
    done = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f 4; exec '{PROF}' export -t {kind} -o out '{zoo.path}'"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("prof: cannot write out: ") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_reader_that_closes_the_pipe(zoo, kind):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([PROF, "export", "-t", kind, "-o", "-", zoo.path], stdout=write, stderr=subprocess.PIPE, text=True,
                          check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "prof: cannot write standard output: Broken pipe\n")


@pytest.mark.parametrize("kind", ["sqlite", "info", "collapsed", *DOCUMENTS])
def test_damaged_reports(zoo, tmp_path, kind):
    whole = zoo.path.read_bytes()
    pages = bytearray(whole)
    for at in range(8192, len(pages), 512):
        pages[at] ^= 0xff
    for data, word in ((bytes(pages), "damaged"), (whole[:len(whole) // 2], "truncated"), (b"x" * 5000, "not a report")):
        (tmp_path / "bad.db").write_bytes(data)
        done = prof("export", "-t", kind, "-o", tmp_path / "out", tmp_path / "bad.db")
        assert done.returncode == 1 and word in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["bad.db"]


def test_schema_of_a_damaged_report_runs_nothing_else(tmp_path):
    path = tmp_path / "bad.db"
    database = sqlite3.connect(path)
    database.executescript(f"""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'a');
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = sql || '; ATTACH ''{tmp_path}/stolen'' AS x; CREATE TABLE x.t (i)';""")
    database.close()
    done = prof("export", "-t", "sqlite", "-o", tmp_path / "out.sqlite", path)
    assert done.returncode in (0, 1) and not (tmp_path / "stolen").exists()


def test_profile_exports(tmp_path):
    report = tmp_path / "run.db"
    done = prof("profile", "-t", "osrt", "-s", "none", "--cpuctxsw=none", "--export=jsonlines,json", "--export", "info",
                "-o", report, "sleep", "0.01")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run.json").read_text())["tables"]["PROCESSES"]
    assert (tmp_path / "run.jsonl").read_text().count('"table":"PROCESSES"') == 1
    assert "sleep" in (tmp_path / "run.info").read_text()
    done = prof("profile", "--export=jsonlins", "-o", tmp_path / "other.db", "true")
    assert done.returncode == 2 and "did you mean jsonlines?" in done.stderr and not (tmp_path / "other.db").exists()
    done = prof("profile", "-t", "osrt", "--export=none", "-o", tmp_path / "plain.db", "true")
    assert done.returncode == 0 and not list(tmp_path.glob("plain.j*"))


needs_true_exports = pytest.mark.skipif(not TRUE_EXPORTS.exists(), reason="needs nsys's exports (PROF_NSYS_TRUTH)")


@needs_true_exports
def test_tables_and_times_as_nsys(tmp_path):
    whole = Report(unpacked(tmp_path / "zoo.sqlite", TRUE_EXPORTS / "zoo.sqlite.gz"))
    true = unpacked(tmp_path / "true.sqlite", TRUE_EXPORTS / "zoo-cupti-from-500ms.sqlite.gz")
    ours = exported(whole, tmp_path, "--tables=CUPTI.*", "--times=0.5s/")
    assert tables_of(ours) == tables_of(true)
    for table in tables_of(true):
        assert sorted(rows(ours, table), key=repr) == sorted(rows(true, table), key=repr), table


@needs_true_exports
def test_normalized_times_as_nsys(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    whole = Report(unpacked(tmp_path / "zoo.sqlite", TRUE_EXPORTS / "zoo.sqlite.gz"))
    shutil.unpack_archive(TRUE_EXPORTS / "files.tar.gz", tmp_path)
    ours = exported(whole, tmp_path, "--ts-normalize=true")
    for file in (tmp_path / "tsnorm").iterdir():
        true = parquet.read_table(file)
        columns = ", ".join(f'"{name}"' for name in true.column_names)
        found = rows(ours, file.stem, columns)
        # Parquet has unsigned numbers.
        expected = [tuple(value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else value for value in row)
                    for row in zip(*(column.to_pylist() for column in true.columns))]
        assert sorted(found, key=repr) == sorted(expected, key=repr), file.stem
