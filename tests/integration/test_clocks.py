"""prof info of a job on several machines: how their clocks compare. The ledger of make_run.py has the true clocks."""
import csv
import io
import json
import re
import sqlite3
import subprocess

import pytest
from made_run import make_run
from profiling import MORE_TRUTH, PROF, prof, program, unpacked
from test_mpi import KINDS, environment, mpirun, options
from view_server import viewing

RECIPES = MORE_TRUTH / "recipes"


def clocks(*reports):
    """The columns of each machine after the name, and the text above the table."""
    done = prof("info", "--no-pager", *reports)
    assert done.returncode == 0, done.stderr
    text = done.stdout.partition("Clocks of the Machines")[2]
    lines = text.rpartition("----\n")[2].splitlines()
    return [re.split(r"  +", line.strip()) for line in lines if line.strip()], text


def number(text):
    return float(text.replace(",", ""))


def test_clocks_of_a_made_job(tmp_path):
    make_run(tmp_path, 4, 3000, "--gpus-per-node", "1", "--lost", "1%", "--clock", "50ms:20ppm:step@0.5")
    nodes = json.loads((tmp_path / "ledger.json").read_text())["nodes"]
    machines, text = clocks(tmp_path)
    assert [machine[:3] for machine in machines] == [
        ["node0000", "1", "reference"]] + [[f"node{i:04}", "1", "collectives"] for i in range(1, 4)]
    for machine, node in zip(machines[1:], nodes[1:]):
        error, drift, ahead = map(number, machine[3:6])
        assert abs(drift - (node["drift"] - nodes[0]["drift"]) * 1e6) < 0.1
        assert abs(ahead) <= error < 100_000  # the step made all wall clocks right
        assert f"{node['name']}: the wall clock was set by" in text


def test_one_machine_has_one_clock(tmp_path):
    make_run(tmp_path, 2, 1200)
    assert "Clocks of the Machines" not in prof("info", "--no-pager", tmp_path).stdout


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Two machines whose clocks drift, and whose wall clocks are wrong by milliseconds. Folder and ledger."""
    folder = tmp_path_factory.mktemp("job") / "run"
    make_run(folder, 2, 4000, "--gpus-per-node", "1", "--clock", "50ms:20ppm")
    return folder, json.loads((folder / "ledger.json").read_text())


def quiet_time(ledger, share):
    """The time before a step in which no all-reduce runs on any rank, about at this share of the job."""
    ends = {each["step"]: each["end"] for each in ledger["collectives"]}
    step = round(len(ends) * share)
    return ends[step] + 50_000


def all_reduces(*words):
    """How many all-reduces each rank has."""
    done = prof("stats", "-q", "-f", "csv", "-r", "cuda_gpu_kern_sum", "--by-rank", *words)
    assert done.returncode == 0, done.stderr
    return {int(row["Rank"]): int(row["Instances"]) for row in csv.DictReader(io.StringIO(done.stdout.lstrip()))
            if "AllReduce" in row["Name"]}


def test_a_window_of_time_is_on_the_common_clock(job):
    folder, ledger = job
    first, last = quiet_time(ledger, 0.3), quiet_time(ledger, 0.6)
    inside = sum(first < each["end"] < last for each in ledger["collectives"])
    window = f"--filter-time={first}/{last}"
    # All reports begin at the same time, but only the collectives know.
    for align in ((), ("--align=collectives",), ("--align=none",)):
        assert all_reduces(folder, window, *align) == {0: inside, 1: inside}
    by_wall = all_reduces(folder, window, "--align=clock")
    assert by_wall.get(0) != by_wall.get(1)


def test_json_has_what_makes_times_common(job):
    folder, ledger = job
    reports = json.loads(prof("info", "--json", folder).stdout)
    clocks_of = [report["clock"] for report in reports]
    assert [clock["evidence"] for clock in clocks_of] == ["reference", "collectives"]
    assert [clock["node"] for clock in clocks_of] == ["node0000", "node0001"]
    assert all(clock["is_aligned"] and clock["steps"] == [] for clock in clocks_of)
    assert clocks_of[1]["matched"] == len(ledger["collectives"])
    assert abs(clocks_of[1]["wall_offset_ns"] - (ledger["nodes"][1]["offset"] - ledger["nodes"][0]["offset"])) < 100_000

    def common(report, time):
        clock = report["clock"]
        return time + clock["offset_ns"] + clock["drift"] * (time - clock["middle_ns"])

    # The first and the last operation end on both at the same time.
    for each in (ledger["collectives"][0], ledger["collectives"][-1]):
        ends = [common(report, each["end"] * (1 + node["drift"])) for report, node in zip(reports, ledger["nodes"])]
        assert abs(ends[1] - ends[0]) <= clocks_of[1]["bound_ns"]


def test_exports_are_on_one_clock(job, tmp_path):
    folder, ledger = job
    reports = [folder / "rank_0.db", folder / "rank_1.db"]
    done = prof("export", "-q", "true", "--type=chrome", "--align=collectives", "-o", tmp_path, *reports)
    assert done.returncode == 0, done.stderr
    traces = [json.loads((tmp_path / f"rank_{rank}.pt.trace.json").read_text()) for rank in range(2)]
    assert traces[0]["baseTimeNanoseconds"] == traces[1]["baseTimeNanoseconds"] > 0
    ends = [[event["ts"] + event["dur"] for event in trace["traceEvents"] if "AllReduce" in event.get("name", "")]
            for trace in traces]
    assert len(ends[0]) == len(ends[1]) == len(ledger["collectives"])
    assert max(abs(a - b) for a, b in zip(*ends)) < 20  # µs
    refused = prof("export", "--type=chrome", "--align=collectives", "-f", "true", "-o", tmp_path / "x", reports[0])
    assert (refused.returncode, "--align needs several reports" in refused.stderr) == (2, True)


def test_the_timeline_is_on_one_clock(job):
    folder, _ = job
    found = [report["clock"] for report in json.loads(prof("info", "--json", folder).stdout)]
    for align in ((), ("--align=collectives",)):
        with viewing(*align, *sorted(folder.glob("*.db"))) as server:
            answer = server.json("rows")
            shown = [(report["offset"], report["drift"], report["middle"]) for report in answer["reports"]]
            assert shown == [(clock["offset_ns"], clock["drift"], clock["middle_ns"]) for clock in found]
            assert answer["messages"] == [] and answer["utcStart"]
    with viewing("--align=none", *sorted(folder.glob("*.db"))) as server:
        assert [report["offset"] for report in server.json("rows")["reports"]] == [0, 0]


def test_what_cannot_be_aligned_is_said(tmp_path):
    run = tmp_path / "run"
    make_run(run, 2, 200, "--gpus-per-node", "1")
    for rank in range(2):
        with sqlite3.connect(run / f"rank_{rank}.db") as report:
            report.execute("UPDATE StringIds SET value = 'kernel' WHERE value LIKE 'nccl%'")
    done = prof("stats", "--align=collectives", "--filter-time=0s/1s", run)
    assert done.returncode == 1
    assert ("node0001 cannot be aligned by collectives: no collective operations match that it and node0000 recorded; "
            "by the wall clock (--align=clock) the error is up to 2" in done.stderr)
    assert prof("stats", "--align=clock", "--filter-time=0s/1s", run).returncode == 0
    assert prof("stats", "--align=range:nothing", "--filter-time=0s/1s", run).returncode == 1
    for wrong in (["--align=clock", run], ["--align=clocks", "--filter-time=0s/1s", run],
                  ["--align=clock", "--filter-time=0s/1s", run / "rank_0.db"]):
        assert prof("stats", *wrong).returncode == 2


def begin_later(path, delay):
    """What the report would be if its recording had begun `delay` ns later."""
    with sqlite3.connect(path) as report:
        for (table,) in report.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = [row[1] for row in report.execute(f"PRAGMA table_info({table})")]
            if {"start", "end"} <= set(columns):
                report.execute(f"DELETE FROM {table} WHERE start < ?", (delay,))
                report.execute(f'UPDATE {table} SET start = start - ?1, "end" = "end" - ?1', (delay,))
        report.execute("UPDATE PROF_CLOCKS SET monotonicRaw = monotonicRaw + ?1, realtime = realtime + ?1", (delay,))
        report.execute("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + ?", (delay,))
        report.execute("UPDATE ANALYSIS_DETAILS SET duration = duration - ?", (delay,))


def test_a_window_of_time_is_one_window_for_all_statistics(tmp_path):
    """Of a job whose ranks begin at different times: sums, statistics of ranks, the path and the verdict."""
    run = tmp_path / "run"
    ledger = make_run(run, 2, 4000, "--straggler", "1:cpu:1.5")
    window = f"--filter-time={quiet_time(ledger, 0.3)}/{quiet_time(ledger, 0.6)}"

    def printed(*align):
        names = ["cuda_gpu_kern_sum", "collective_sum", "collective_trace", "rank_wait_sum", "critical_path"]
        tables = {}
        for name in names:
            done = prof("stats", "-q", "-f", "csv", "-r", name, window, *align, run)
            assert done.returncode == 0, done.stderr
            tables[name] = done.stdout
        tables["verdict"] = json.loads(prof("analyze", "-f", "json", window, *align, run).stdout)["verdict"]
        return tables

    before = printed()
    inside = int(next(csv.DictReader(io.StringIO(before["collective_sum"].lstrip())))["Operations"])
    first, last = quiet_time(ledger, 0.3), quiet_time(ledger, 0.6)
    assert inside == sum(first < each["end"] < last for each in ledger["collectives"])
    begin_later(run / "rank_1.db", quiet_time(ledger, 0.2))
    assert printed() == before
    by_own_starts = printed("--align=none")
    assert [name for name in before if by_own_starts[name] == before[name]] == ["verdict"]  # waits are durations


def test_align_is_refused_where_it_changes_nothing(job):
    folder, _ = job
    window = "--filter-time=0s/1s"
    for verb, *words in (["analyze", folder / "rank_0.db"], ["analyze", "-r", "gpu_gaps", folder],
                         ["analyze", "--by-rank", folder], ["stats", "-r", "cuda_gpu_kern_sum", folder],
                         ["diff", folder, folder]):
        done = prof(verb, "--align=clock", *words)
        assert (done.returncode, done.stderr.count("\n"), "--align" in done.stderr) == (2, 1, True), done.stderr
    for verb, *words in (["analyze", folder], ["analyze", "-r", "gpu_gaps", window, folder],
                         ["analyze", "--by-rank", window, folder], ["stats", "-r", "rank_wait_sum", folder]):
        assert prof(verb, "--align=collectives", *words).returncode == 0
        assert "has no NVTX range" in prof(verb, "--align=range:nothing", *words).stderr


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_mpi_compare_clocks(tmp_path, kind):
    rank = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[kind]
    run = tmp_path / "run"
    run.mkdir()
    subprocess.run([mpirun(kind), "-n", "2", PROF, *options(run / f"%q{{{rank}}}.db"), program(f"mpi_zoo.{kind}"),
                    tmp_path / "file"], env=environment(), check=True, timeout=120)

    def offset():
        first, second = (report["clock"] for report in json.loads(prof("info", "--json", run).stdout))
        assert first["evidence"] == "reference"
        return second, second["offset_ns"] - first["offset_ns"] - second["drift"] * second["middle_ns"]

    truth = offset()[1]
    # The second rank comes from another machine, whose clock is 50 s ahead.
    with sqlite3.connect(run / "1.db") as report:
        report.execute("UPDATE PROF_CLOCKS SET bootId = 'other', isSynchronized = 0")
        report.execute("UPDATE MPI_COLLECTIVES_EVENTS SET start = start + 50000000000, \"end\" = \"end\" + 50000000000")
        report.execute("UPDATE MPI_COMMUNICATORS SET timestamp = timestamp + 50000000000")
    clock, found = offset()
    assert clock["evidence"] == "collectives" and clock["unmatched"] == 0
    assert clock["matched"] >= 14  # 6 MPI_Barrier, 7 MPI_Allreduce, MPI_Alltoall
    assert abs(found + 50_000_000_000 - truth) < 5_000_000_000


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_reports_of_nsys(tmp_path):
    # Both are of one host, so the wall clock is the same one.
    reports = [unpacked(tmp_path / f"rank_{rank}.sqlite", RECIPES / f"rank_{rank}.sqlite.gz") for rank in range(2)]
    (_, second), _ = clocks(*reports)
    error, _, ahead = map(number, second[3:6])
    assert second[2] == "collectives"
    assert abs(ahead) <= error < 30_000
