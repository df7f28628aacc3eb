"""The JSON export is one valid document with the contents of the report."""
import json
import sqlite3

from profiling import prof, profile, program


def test_document_equals_report(tmp_path):
    report = profile(tmp_path, program("nvtx_zoo"))
    done = prof("export", "--json", report.path)
    assert done.returncode == 0 and done.stderr == ""
    document = json.loads(done.stdout)
    assert document["format"] == "prof-json" and document["version"] == 1
    tables = document["tables"]
    for table in report.tables():
        if table.startswith(("ENUM_", "sqlite_")):
            assert table not in tables
            continue
        rows = report.query(f"SELECT * FROM {table}")
        assert len(tables[table]) == len(rows)
        for got, row in zip(tables[table], rows):
            for column in row.keys():
                if row[column] is not None:
                    assert got[column] == row[column], (table, column)
    registered = [row for row in tables["NVTX_EVENTS"] if "textId" in row]
    assert {row["text"] for row in registered} == {"registered"}


def test_only_some_tables(tmp_path):
    report = profile(tmp_path, "sleep", "0.01")
    document = json.loads(prof("export", "--json", "--tables", "OSRT_API,StringIds", report.path).stdout)
    assert list(document["tables"]) == ["OSRT_API", "StringIds"]
    done = prof("export", "--json", "--tables", "NO_SUCH", report.path)
    assert done.returncode == 1 and "no table NO_SUCH" in done.stderr


def test_into_a_file(tmp_path):
    report = profile(tmp_path, "sleep", "0.01")
    out = tmp_path / "out.json"
    assert prof("export", "--json", "-o", out, report.path).returncode == 0
    assert json.loads(out.read_text())["tables"]["PROCESSES"]
    done = prof("export", "--json", "-o", out, report.path)
    assert done.returncode == 1 and "exists" in done.stderr
    assert prof("export", "--type=json", "-f", "true", "-o", out, report.path).returncode == 0


def test_strange_texts_stay_valid_json(tmp_path):
    report = profile(tmp_path, "sleep", "0.01")
    database = sqlite3.connect(report.path)
    database.execute("INSERT INTO StringIds VALUES (100000, CAST(x'ff22005c0a' AS TEXT))")
    database.execute("INSERT INTO StringIds VALUES (100001, 'quote \" backslash \\ tab\t')")
    database.commit()
    database.close()
    texts = [row["value"] for row in
             json.loads(prof("export", "--json", report.path).stdout)["tables"]["StringIds"]]
    assert 'quote " backslash \\ tab\t' in texts
