"""The JSON Schemas of docs/schemas are those of the documents that prof prints: a key that is new, or of another type,
has to be written down there."""
import json

import pytest
from jsonschema import Draft202012Validator
from profiling import SOURCE, TRUTH, prof, profile, program, unpacked

SCHEMAS = {path.stem: Draft202012Validator(json.loads(path.read_text())) for path in (SOURCE / "docs" / "schemas").glob("*.json")}
CLAIMS = ("cause = data_loading", "launch_bound.share > 0.5", "count(range('step')) = 100", "kernel('*').total < 3ms")
ANSWER = "The kernels take 3 ms, and the GPU is idle for 12.5 % of the time.\n"
TOPICS = "kernels,memory,communication"
REPORTS = sorted(TRUTH.glob("*.sqlite.gz"))


def check(schema, text):
    SCHEMAS[schema].validate(json.loads(text))


def check_report(report, other, answer):
    check("facts", prof("facts", report).stdout)
    check("facts", prof("facts", "--budget", "300", report).stdout)
    check("facts", prof("facts", "--topic", TOPICS, report).stdout)
    check("facts", prof("facts", other, report).stdout)
    check("findings", prof("analyze", "-q", "-f", "json", report).stdout)
    check("findings", prof("analyze", "-q", "-f", "json", "--budget", "200", report).stdout)
    check("check", prof("check", "-f", "json", report, *CLAIMS).stdout)
    check("check", prof("check", "-f", "json", report, answer).stdout)
    check("query", prof("query", report, "SELECT name, rootpage, 1.5, NULL FROM sqlite_master", "-f", "json").stdout)
    check("query", prof("query", report, "SELECT * FROM StringIds", "-f", "json", "--rows", "2").stdout)
    saved = answer.with_name("saved.json")
    assert prof("facts", "--force-overwrite", "true", "--save", saved, report).stderr == ""
    check("baseline", saved.read_text())


def test_schemas_are_schemas():
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema.schema)
    assert set(SCHEMAS) == {"facts", "check", "query", "findings", "error", "baseline"}


@pytest.mark.parametrize("packed", REPORTS, ids=lambda path: path.name)
def test_answers_about_reports_of_nsys(packed, tmp_path):
    report = unpacked(tmp_path / "report.sqlite", packed)
    answer = tmp_path / "answer.md"
    answer.write_text(ANSWER)
    check_report(report, unpacked(tmp_path / "other.sqlite"), answer)


def test_answers_about_a_recording(tmp_path):
    answer = tmp_path / "answer.md"
    answer.write_text(ANSWER)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    one, other = [profile(folder, program("thread_habits"), "few", options=["-s", "process-tree"]).path for folder in folders]
    check_report(one, other, answer)


def test_a_wrong_key_is_found():
    with pytest.raises(Exception, match="was unexpected"):
        check("error", '{"code": "a", "message": "b", "option": null, "did_you_mean": null, "next": null, "hint": "c"}')


@pytest.mark.parametrize("words", [("facts",), ("sats",), ("stats", "--reprot=x"), ("stats", "none.db")], ids=" ".join)
def test_errors(words, tmp_path):
    done = prof("--errors=json", *words, cwd=tmp_path)
    assert done.returncode != 0
    check("error", done.stderr.splitlines()[-1])
