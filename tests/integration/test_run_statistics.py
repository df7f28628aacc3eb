"""prof stats of several reports: the ranks of a job, merged. The ledger of make_run.py says what is true."""
import csv
import io
import json
import shutil
import statistics

import made_run
import pytest
from made_run import replace_os_calls
from profiling import MORE_TRUTH, prof, unpacked

RECIPES = MORE_TRUTH / "recipes"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"


def make_run(folder, *options):
    return made_run.make_run(folder, 4, 1200, *options)


def rows(*arguments):
    done = prof("stats", "-f", "csv", *arguments)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


@pytest.fixture(scope="module", name="run_folder")
def fixture_run_folder(tmp_path_factory):
    """Reports of ranks 0 to 3, two of them on each node; rank 2 launches slowly."""
    folder = tmp_path_factory.mktemp("made") / "run"
    make_run(folder, "--straggler", "2:cpu:3", "--gpus-per-node", "2")
    return folder


def test_statistics_of_all_ranks_are_exact(run_folder):
    kernels = json.loads((run_folder / "ledger.json").read_text())["kernels"]
    found = rows("-r", "cuda_gpu_kern_sum", f"{run_folder}/")
    assert {row["Name"] for row in found} == set(kernels)
    for row in found:
        true = kernels[row["Name"]]
        assert int(row["Instances"]) == true["count"]
        assert int(row["Total Time (ns)"]) == true["total"]
        assert (int(row["Min (ns)"]), int(row["Max (ns)"])) == (true["min"], true["max"])
        assert row["Med (ns)"] == f"{true['median']:.1f}"
        assert row["Ranks"] == "4"
    totals = [int(row["Total Time (ns)"]) for row in found]
    assert totals == sorted(totals, reverse=True)
    assert abs(sum(float(row["Time (%)"]) for row in found) - 100) < 1


def test_the_slow_rank_is_the_largest(run_folder):
    (launches,) = [row for row in rows("-r", "cuda_api_sum", run_folder) if row["Name"] == "cudaLaunchKernel"]
    assert launches["Max Rank"] == "2"
    assert 100 < float(launches["Spread (%)"]) < 150  # 3 - 1 of a mean of 1.5


def test_rows_by_rank_and_by_node(run_folder):
    by_rank = [row for row in rows("-r", "cuda_gpu_kern_sum", "--by-rank", run_folder) if row["Name"] == ALL_REDUCE]
    assert [row["Rank"] for row in by_rank] == ["0", "1", "2", "3"]
    for row in by_rank:
        (alone,) = [each for each in rows("-r", "cuda_gpu_kern_sum", run_folder / f"rank_{row['Rank']}.db")
                    if each["Name"] == ALL_REDUCE]
        del row["Rank"]
        assert row == alone
    by_node = [row for row in rows("-r", "osrt_sum", "--by-node", run_folder) if row["Name"] == "read"]
    assert [(row["Node"], row["Ranks"]) for row in by_node] == [("node0000", "2"), ("node0001", "2")]


def test_several_files_are_merged_as_their_folder_is(run_folder):
    files = sorted(run_folder.glob("*.db"), reverse=True)
    for form in ("csv", "json"):
        arguments = ("-f", form, "-r", "nvtx_sum,nvtx_gpu_proj_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum:base")
        assert prof("stats", *arguments, *files).stdout == prof("stats", *arguments, run_folder).stdout != ""


@pytest.fixture(scope="module", name="different")
def fixture_different(tmp_path_factory):
    """The durations of the calls of two ranks. Those of rank 0 are so different that their table is too large."""
    folder = tmp_path_factory.mktemp("different") / "run"
    make_run(folder)
    durations = {0: [20_011 * number for number in range(1, 145_000)], 1: [17_000 * number for number in range(1, 5_000)]}
    for rank, values in durations.items():
        replace_os_calls(folder / f"rank_{rank}.db", values)
    for rank in (2, 3):
        (folder / f"rank_{rank}.db").unlink()
    return folder, sorted(durations[0] + durations[1])


def test_medians_of_very_different_values(different):
    folder, durations = different
    true = statistics.median(durations)
    (row,) = rows("-r", "osrt_sum", folder)
    (exact,) = rows("-r", "osrt_sum", "--exact", folder)
    assert abs(float(row["Med (approx) (ns)"]) / true - 1) < 0.005
    assert exact["Med (ns)"] == f"{true:.1f}"
    assert list(row.values())[:4] == list(exact.values())[:4]
    assert (int(row["Num Calls"]), int(row["Total Time (ns)"])) == (len(durations), sum(durations))
    assert (int(row["Min (ns)"]), int(row["Max (ns)"])) == (durations[0], durations[-1])
    assert row["StdDev (ns)"] == exact["StdDev (ns)"]
    # One rank has a table of all values.
    by_rank = rows("-r", "osrt_sum", "--by-rank", folder)
    assert by_rank[1]["Med (approx) (ns)"] == f"{17_000 * 2_500:.1f}"
    in_us = rows("-r", "osrt_sum", "--timeunit", "us", folder)[0]
    assert abs(float(in_us["Med (approx) (us)"]) * 1000 / true - 1) < 0.005


def test_filters_apply_to_each_report(run_folder):
    (one,) = rows("-r", "nvtx_sum", "--filter-nvtx", "step/3", run_folder)
    assert (one["Range"], one["Instances"]) == (":step", "12")  # the steps before and after it touch it
    names = {row["Name"] for row in rows("-r", "cuda_gpu_kern_sum", "--name", "*layer_1*", run_folder)}
    assert names == {"void layer_1<float>(float *, const float *, int)"}


def test_what_cannot_be_merged_is_named_in_one_line(run_folder):
    done = prof("stats", "-r", "gpu_idle_sum,cuda_gpu_trace,osrt_sum", run_folder)
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "SKIPPED" in line] == [
        "SKIPPED: prof cannot merge these over ranks: gpu_idle_sum, cuda_gpu_trace (prof stats REPORT -r NAME)"]
    assert "read" in done.stdout
    usual = prof("stats", run_folder)
    assert usual.returncode == 0
    assert "gpu_idle_sum" in usual.stderr and "cuda_gpu_kern_sum" in usual.stdout
    assert "um_sum" not in usual.stderr  # the reports have no data for it


def test_other_reports_are_left_out_and_named(run_folder, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run_folder, folder)
    whole = (folder / "rank_0.db").read_bytes()
    (folder / "rank_0.db").write_bytes(whole[:len(whole) // 2])
    (folder / "foreign.db").write_text("this is a text")
    (folder / "rank_9.db.spool").write_bytes(b"")
    shutil.copy(folder / "rank_1.db", folder / "second.db")
    done = prof("stats", "-r", "cuda_gpu_kern_sum", "-f", "csv", folder)
    assert done.returncode == 1
    left_out = [line for line in done.stderr.splitlines() if line.startswith("prof: left out: ")]
    for name in ("rank_0.db", "foreign.db", "rank_9.db.spool", "rank 1 of job 4711 of"):
        assert sum(name in line for line in left_out) == 1, done.stderr
    assert len(left_out) == 4
    assert "prof: Without a report: rank 0 of job 4711." in done.stderr.splitlines()
    assert {row["Ranks"] for row in csv.DictReader(io.StringIO(done.stdout.strip()))} == {"3"}


def test_two_runs_are_compared(run_folder, tmp_path):
    slower = make_run(tmp_path / "slower", "--straggler", "1:gpu:2", "--gpus-per-node", "2")["kernels"]
    kernels = json.loads((run_folder / "ledger.json").read_text())["kernels"]
    options = ("-f", "json", "--category", "kernel", "--min-change", "0")
    done = prof("diff", *options, f"{run_folder}/", tmp_path / "slower")
    assert done.returncode == 0, done.stderr
    changes = json.loads(done.stdout)["changes"]
    assert {change["Name"]: (change["Time Before (ns)"], change["Time After (ns)"]) for change in changes} == {
        name: (true["total"], slower[name]["total"]) for name, true in kernels.items()}
    assert prof("diff", "--fail-on-slower", "5", "--watch", "kernel", run_folder, tmp_path / "slower").returncode == 3
    # The second report of a rank does not count.
    shutil.copy(tmp_path / "slower" / "rank_1.db", tmp_path / "slower" / "x.db")
    again = prof("diff", *options, run_folder, tmp_path / "slower")
    assert again.returncode == 1 and "rank_1.db has it, too" in again.stderr
    assert json.loads(again.stdout)["changes"] == changes
    assert prof("diff", run_folder / "rank_0.db", tmp_path / "slower" / "rank_0.db").returncode == 0


@pytest.mark.parametrize("options", [["--sqlite=x.db"], ["--lines", "-r", "cpu_sample_sum"], ["--report-dir", "."]])
def test_options_for_one_report(run_folder, options):
    done = prof("stats", *options, run_folder)
    assert done.returncode == 1 or done.returncode == 2
    assert "takes one report" in done.stderr


def test_options_for_several_reports(run_folder):
    for option in ("--by-rank", "--exact"):
        done = prof("stats", option, run_folder / "rank_0.db")
        assert done.returncode == 2
        assert "need a folder, or several reports" in done.stderr


def test_missing_ranks_clocks_and_losses_of_a_made_run(tmp_path):
    ledger = make_run(tmp_path / "run", "--missing", "1", "--lost", "1%", "--clock", "50ms:20ppm:step@0.5",
                      "--seed", "3")
    (missing,) = ledger["missing"]
    assert not (tmp_path / "run" / f"rank_{missing}.db").exists()
    done = prof("info", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert f"Without a report: rank {missing} of job 4711." in done.stdout
    assert all(lost for rank, lost in enumerate(ledger["lost"]) if rank != missing)
    done = prof("analyze", tmp_path / "run")
    assert done.returncode == 0 and done.stdout.count("Verdict: ") == 1, done.stderr
    done = prof("analyze", "--by-rank", tmp_path / "run")
    assert done.returncode == 0 and done.stdout.count("Verdict: ") == 3, done.stderr
    found = rows("-r", "cuda_gpu_kern_sum", tmp_path / "run")
    assert {row["Name"]: int(row["Total Time (ns)"]) for row in found} == {
        name: true["total"] for name, true in ledger["kernels"].items()}


def test_a_made_run_is_the_same_for_the_same_seed(tmp_path):
    first = make_run(tmp_path / "a", "--straggler", "1:gpu:2")
    again = make_run(tmp_path / "b", "--straggler", "1:gpu:2")
    without = make_run(tmp_path / "c")
    assert first == again
    assert first["elapsed"] - first["gain_without_straggler"] == without["elapsed"]
    last = [each["last"] for each in first["collectives"]]
    assert last.count(1) == len(last)


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_the_median_over_two_reports_of_nsys(tmp_path):
    """nsys's recipe prints 3,230,859 ns, the mean or median of the ranks' medians."""
    for rank in range(2):
        unpacked(tmp_path / f"rank_{rank}.sqlite", RECIPES / f"rank_{rank}.sqlite.gz")
    (kernel,) = [row for row in rows("-r", "cuda_gpu_kern_sum:base", tmp_path) if "AllReduce" in row["Name"]]
    assert kernel["Med (ns)"] == "150367.5"
    assert (kernel["Ranks"], kernel["Max Rank"]) == ("2", "0")
