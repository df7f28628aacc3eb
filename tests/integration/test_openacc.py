"""-t openacc: what GCC's runtime of OpenACC does, with the lines of the directives."""
import pytest
from profiling import Report, prof, program, source_of

TABLE = "CUPTI_ACTIVITY_KIND_OPENACC_OTHER"


def recorded(tmp_path, *command, traces="openacc"):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", traces, "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path, "--", *command)
    assert done.returncode == 0, done
    return Report(path, done)


def line_of(text):
    return 1 + next(i for i, line in enumerate(source_of("acc_zoo.c").read_text().splitlines()) if text in line)


def test_a_data_region(tmp_path):
    report = recorded(tmp_path, program("acc_zoo"))
    assert report.done.stdout == "198\n"
    texts = {row["id"]: row["value"] for row in report.query("SELECT * FROM StringIds")}
    rows = [(texts[row["nameId"]], row["lineNo"], texts[row["funcName"]], texts[row["srcFile"]].split("/")[-1])
            for row in report.query(f"SELECT * FROM {TABLE} ORDER BY start")]
    data, compute, update = line_of("acc data"), line_of("acc parallel"), line_of("acc update")
    assert rows[0][0] == "Device init"
    assert [row for row in rows if row[0] != "Device init"] == [
        ("Enter data", data, "main", "acc_zoo.c"), ("Compute construct", compute, "twice", "acc_zoo.c"),
        ("UPDATE", update, "main", "acc_zoo.c"), ("Exit data", rows[-1][1], "main", "acc_zoo.c")]
    assert data <= rows[-1][1] <= update + 1
    assert report.value(f"SELECT count(*) FROM {TABLE} WHERE start > end") == 0
    assert report.value("SELECT name FROM ENUM_OPENACC_EVENT_KIND WHERE id = 9") == "CUPTI_OPENACC_EVENT_KIND_COMPUTE_CONSTRUCT"
    assert {row["DeviceType"] for row in report.query(f"SELECT * FROM {TABLE} WHERE eventKind = 9")} == {2}
    stats = prof("stats", "-r", "openacc_sum", "-f", "csv", report.path)
    assert stats.returncode == 0 and "Compute construct" in stats.stdout


@pytest.mark.parametrize("traces", ["osrt", "openmp"])
def test_only_if_it_is_asked_for(tmp_path, traces):
    report = recorded(tmp_path, program("acc_zoo"), traces=traces)
    assert not [table for table in report.tables() if "OPENACC" in table]


def test_together_with_openmp(tmp_path):
    """What OpenACC does without a GPU is recorded once."""
    report = recorded(tmp_path, program("acc_zoo"), traces="openacc,openmp")
    assert TABLE in report.tables()
    assert report.value(f"SELECT count(*) FROM {TABLE} WHERE eventKind = 9") == 1
