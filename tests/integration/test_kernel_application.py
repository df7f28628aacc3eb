"""prof kernel --replay=application with the fake CUPTI: each run of the program makes a pass of all selected launches."""
import os

import pytest
from test_kernel_profile import APP, COPY, CUPTI, GEMM, alone, kernel, needs_cuda
from test_kernel_rotation import PASSES, values
from profiling import Report, prof

pytestmark = needs_cuda
AGAIN = ["--set=basic", "--replay=application"]


def passes(report):
    """(pass, invocation) of each profile."""
    rows = {}
    for row in report.query("SELECT profileId, pass, invocation FROM PROF_KERNEL_PASSES ORDER BY profileId, pass"):
        rows.setdefault(row["profileId"], []).append((row["pass"], row["invocation"]))
    return list(rows.values())


def rows(report):
    return [(row["mode"], row["passes"], row["status"], row["reason"]) for row in report.query(
        "SELECT mode, passes, status, reason FROM PROF_KERNEL_PROFILES ORDER BY id")]


def run_script(tmp_path, text, options=(), status=0):
    """A program that knows how often it has run: $N is 0 in the first run."""
    script = tmp_path / "program.sh"
    script.write_text(f"N=$(wc -l < {tmp_path}/runs); echo >> {tmp_path}/runs\n{text}\n")
    (tmp_path / "runs").write_text("")
    done = prof("kernel", "--cupti-path", CUPTI, "-f", "true", "-o", tmp_path / "kernels.db", *AGAIN, *options, "--",
                "sh", script, env=os.environ)
    assert done.returncode == status, done.stdout + done.stderr
    return Report(tmp_path / "kernels.db", done)


def runs(tmp_path):
    return (tmp_path / "runs").read_text().count("\n")


def test_runs_make_the_passes_of_each_launch(tmp_path):
    words = (f"{GEMM}*2@7", COPY)
    report = kernel(tmp_path, *words, options=AGAIN)
    # As with ncu, the output of each run is there.
    assert report.done.stdout.count(alone(*words)) == PASSES
    assert rows(report) == [("application", PASSES, "ok", None)] * 3
    numbers = list(range(PASSES))
    assert passes(report) == [[(number, invocation) for number in numbers] for invocation in (0, 1, 0)]
    replayed = kernel(tmp_path, *words, options=["--set=basic"])
    for profile, blocks in enumerate((7, 7, 4)):
        joined = values(report, profile)
        assert joined.keys() == values(replayed, profile).keys() and -1 not in joined.values()
        assert joined["gpu__time_duration.sum"] == 1000 * blocks
        assert joined["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == 3  # passes that it takes
    assert "prof: run 4 of 4" in report.done.stderr
    assert report.value("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") == 3


def test_one_pass_needs_no_further_run(tmp_path):
    report = kernel(tmp_path, COPY, options=["--set=quick", "--replay=application"])
    assert report.done.stdout.count("memory") == 1 and rows(report) == [("application", 1, "ok", None)]


def test_selection_counts_alike_in_each_run(tmp_path):
    report = kernel(tmp_path, f"{COPY}*3", f"{GEMM}*5", options=[*AGAIN, "-k", "gemm", "-s", "1", "-c", "2"])
    assert passes(report) == [[(number, invocation) for number in range(PASSES)] for invocation in (1, 2)]


def test_child_processes_are_joined_with_their_own(tmp_path):
    report = run_script(tmp_path, f"{APP} '{GEMM}@3'; {APP} '{GEMM}@3'; {APP} '{COPY}*2'")
    assert rows(report) == [("application", PASSES, "ok", None)] * 4
    assert [len(each) for each in passes(report)] == [PASSES] * 4


def test_a_launch_that_differs_has_no_values_of_later_passes(tmp_path):
    """In the third run another kernel is in the place of the second launch."""
    report = run_script(tmp_path, f"[ $N = 2 ] && K='{COPY}' || K='{GEMM}'; {APP} '{COPY}' \"$K\" '{COPY}'")
    assert runs(tmp_path) == PASSES
    whole, broken, last = rows(report)
    assert whole == last == ("application", PASSES, "ok", None)
    assert broken[2] == "ok" and broken[3].startswith("2 of 4 passes were made")
    assert len(values(report, 0)) > len(values(report, 1)) == 32
    assert "Run 3 of the program differs from the first one: 1 of its launches" in report.done.stderr


def test_a_run_with_fewer_launches_is_named(tmp_path):
    report = run_script(tmp_path, f"[ $N = 1 ] && C=1 || C=3; {APP} '{GEMM}'*$C")
    assert [row[3] is None for row in rows(report)] == [True, False, False]
    assert "Run 2 of the program differs from the first one: 2 of its launches" in report.done.stderr


def test_a_run_that_fails_ends_it(tmp_path):
    report = run_script(tmp_path, f"{APP} '{GEMM}'; [ $N != 2 ] || exit 9")
    assert runs(tmp_path) == 3
    assert "Run 3 of the program ended with status 9, the first one with 0" in report.done.stderr
    (_, _, status, reason), = rows(report)
    assert status == "ok" and reason.startswith("2 of 4 passes were made")
    assert len(values(report)) == 32
    assert report.value("SELECT COUNT(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE 'Run 3 of the program ended%'") == 1


def test_a_program_that_fails_is_not_run_again(tmp_path):
    report = run_script(tmp_path, f"{APP} '{GEMM}' exit:5", status=5)
    assert runs(tmp_path) == 1
    assert "ended with status 5, so it is not run again for 3 more passes" in report.done.stderr


def test_a_profile_without_values_has_failed(tmp_path):
    throughput = "--metrics=sm__throughput.avg.pct_of_peak_sustained_elapsed"
    report = kernel(tmp_path, f"{GEMM}*2", options=[throughput, "--replay=application"], status=1,
                    fake="fail=cuptiProfilerHostEvaluateToGpuValues,result=17")
    assert {row[2] for row in rows(report)} == {"failed"}


@pytest.mark.parametrize("function, text", [
    ("cuptiRangeProfilerEnable", "error 999"), ("cuptiRangeProfilerSetConfig", "error 999"),
    ("cuptiRangeProfilerStop", "error 999"), ("cuptiRangeProfilerDecodeData", "error 999"),
])
def test_what_cupti_refuses_ends_it_in_the_first_run(tmp_path, function, text):
    report = kernel(tmp_path, f"{GEMM}*2", options=AGAIN, status=1, fake=f"fail={function},result=999")
    assert text in report.done.stderr and "run 2" not in report.done.stderr
    assert {row[2] for row in rows(report)} == {"failed"}


def test_sass_metrics_are_refused(tmp_path):
    done = kernel(tmp_path, COPY, options=["--replay=application", "--metrics=smsp__sass_inst_executed"], status=2,
                  report=False)
    assert "SASS metrics" in done.stderr


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    kernel(tmp_path, COPY, options=AGAIN)
    assert not list((tmp_path / "temporary").iterdir())
