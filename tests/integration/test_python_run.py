"""The Python package opens the reports of a job, and merges partial results of them."""
import csv
import io
import json
import pickle
import random
import shutil
import statistics

import pytest
from arrow_tables import needs_package, package
from made_run import make_run, replace_os_calls
from profiling import prof

pytestmark = needs_package
pytest.importorskip("pyarrow")
STATISTICS = ("cuda_gpu_kern_sum", "nvtx_gpu_proj_sum", "osrt_sum")


@pytest.fixture(scope="module", name="pr")
def fixture_package():
    return package()


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory):
    """Reports of the ranks 0 to 3 of 4 on two nodes."""
    folder = tmp_path_factory.mktemp("made") / "run"
    make_run(folder, 4, 1200, "--gpus-per-node", "2")
    return folder


def printed(folder, name, *options):
    done = prof("stats", "-f", "csv", "-r", name, *options, folder)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def test_ranks_and_reports_of_a_run(pr, folder):
    run = pr.open_run(folder)
    assert [(rank["job"], rank["rank"], rank["size"], rank["node"]) for rank in run.ranks] == [
        ("4711", number, 4, f"node000{number // 2}") for number in range(4)]
    assert len(run) == 4 and not run.left_out
    assert [report.path for report in run] == [str(folder / f"rank_{number}.db") for number in range(4)]
    assert all("cuda_gpu_kern_sum" in report.statistics for report in run)


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("by", ["run", "node", "rank"])
def test_statistics_are_those_of_prof_stats(pr, folder, name, by):
    rows = pr.open_run(folder).stats(name, by=by).arrow().to_pylist()
    wanted = printed(folder, name, *([] if by == "run" else [f"--by-{by}"]))
    assert [list(row) for row in rows[:1]] == [list(row) for row in wanted[:1]]
    for row, text in zip(rows, wanted, strict=True):
        assert {key: f"{value:.1f}" if isinstance(value, float) else str(value) for key, value in row.items()} == text


def test_a_window_of_time_is_on_the_common_clock(pr, tmp_path):
    """As prof stats prints it, of two machines whose wall clocks are wrong by milliseconds."""
    ledger = make_run(tmp_path, 2, 2000, "--gpus-per-node", "1", "--clock", "50ms:20ppm")
    ends = {each["step"]: each["end"] for each in ledger["collectives"]}
    start, end = (ends[round(len(ends) * share)] + 50_000 for share in (0.3, 0.6))
    run = pr.open_run(tmp_path)
    found = {}
    for align in (None, "collectives", "clock", "none"):
        table = run.stats("cuda_gpu_kern_sum", by="rank", start=start, end=end, align=align).arrow()
        options = [f"--align={align}"] if align else []
        wanted = printed(tmp_path, "cuda_gpu_kern_sum", "--by-rank", f"--filter-time={start}/{end}", *options)
        assert [str(row["Instances"]) for row in table.to_pylist()] == [row["Instances"] for row in wanted]
        found[align] = table
    assert found[None].equals(found["collectives"]) and not found["clock"].equals(found[None])
    clocks = run.clocks().arrow().to_pylist()
    reports = json.loads(prof("info", "--json", tmp_path).stdout)
    assert [clock["offset"] for clock in clocks] == [report["clock"]["offset_ns"] for report in reports]
    assert [clock["evidence"] for clock in clocks] == ["reference", "collectives"]
    assert clocks[0]["error"] == 0 < clocks[1]["error"] < 100_000
    for options in ({"align": "clock"}, {"align": "clocks", "start": 0}, {"align": "range:nothing", "start": 0}):
        with pytest.raises(pr.ReportError):
            run.stats("cuda_gpu_kern_sum", **options)


def test_medians_of_very_different_values(pr, folder, tmp_path):
    """A partial result has a sketch, which merges in any order; a run reads its reports again."""
    parts, durations = [], []
    for rank in range(2):
        shutil.copy(folder / f"rank_{rank}.db", tmp_path)
        values = [(20_011 + rank) * number for number in range(1, 140_000, 1 + 60 * rank)]
        replace_os_calls(tmp_path / f"rank_{rank}.db", values)
        durations += values
        parts.append(pr.partial(tmp_path / f"rank_{rank}.db", ["osrt_sum"]))
    assert parts[0].arrow().nbytes < 20_000
    assert pr.merge(parts).arrow().equals(pr.merge(parts[::-1]).arrow())
    true = statistics.median(durations)
    (row,) = pr.merge(parts).stats("osrt_sum").arrow().to_pylist()
    assert abs(row["Med (approx) (ns)"] / true - 1) < 0.005
    (row,) = pr.open_run(tmp_path).stats("osrt_sum").arrow().to_pylist()
    assert row["Med (ns)"] == true


def test_partial_results_merge_in_any_order(pr, folder):
    parts = [pr.partial(report.path, STATISTICS) for report in pr.open_run(folder)]
    wanted = pr.merge(parts).arrow()
    pick = random.Random(1)
    for _ in range(5):
        left = [pickle.loads(pickle.dumps(part)) for part in parts]
        while len(left) > 1:
            pick.shuffle(left)
            left = [pr.merge(left[:2]), *left[2:]]
        assert left[0].arrow().equals(wanted)
    for name in STATISTICS:
        assert pr.merge(parts).stats(name).arrow().equals(pr.open_run(folder).stats(name).arrow())


def test_the_usual_partial_result(pr, folder):
    rows = pr.partial(folder / "rank_1.db").arrow().to_pylist()
    assert {row["rank"] for row in rows} == {1}
    kernels = json.loads((folder / "ledger.json").read_text())["kernels"]
    assert {json.loads(row["labels"])[0] for row in rows if row["statistic"] == "cuda_gpu_kern_sum"} == set(kernels)
    assert [row["labels"] for row in rows if row["statistic"] == "openmp_sum"] == [None]


def test_what_does_not_count_is_named(pr, folder, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    (copy / "foreign.db").write_text("this is a text")
    shutil.copy(copy / "rank_1.db", copy / "rank_1b.db")
    (copy / ".hidden").mkdir()
    shutil.copy(copy / "rank_1.db", copy / ".hidden" / "x.db")
    run = pr.open_run(copy)
    assert len(run) == 4
    assert len(run.left_out) == 2
    assert "foreign.db" in run.left_out[0] and "rank_1.db has it, too" in run.left_out[1]


def test_errors(pr, folder, tmp_path):
    with pytest.raises(pr.ReportError, match="has no report in it"):
        pr.open_run(tmp_path)
    (tmp_path / "foreign.db").write_text("this is a text")
    with pytest.raises(pr.ReportError, match="foreign.db"):
        pr.open_run(tmp_path)
    run = pr.open_run(folder)
    with pytest.raises(pr.ReportError, match="gpu_idle_sum cannot be merged over ranks"):
        run.stats("gpu_idle_sum")
    with pytest.raises(pr.ReportError, match="by run, node or rank"):
        run.stats("osrt_sum", by="thread")
    part = pr.partial(run.paths[0], ["osrt_sum"])
    with pytest.raises(pr.ReportError, match="not those of prof_report_partial"):
        pr.merge([part, pr.Partial(part.arrow().rename_columns([*"abcdefgh"]))])
