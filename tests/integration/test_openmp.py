"""-t openmp: the rows of OpenMP programs, by OMPT (clang's libomp) and by the entry points of GCC's libgomp."""
import collections
import glob
import json
import os
import re
import subprocess

import pytest
from profiling import BUILD, TRUTH, Report, prof, program, source_of

TABLES = ["PARALLEL", "TASK", "WORKSHARE", "SYNC_REGION", "MUTEX_WAIT", "CRITICAL_SECTION", "MUTEX_RELEASED",
          "TASK_CREATE", "MASTER"]
# What of a row says what the program did. Threads share it out as they come.
COLUMNS = ["parallelId", "kind", "count"]


def built(name, runtime="libomp"):
    path = BUILD / "bin" / "programs" / f"{name}.{runtime}"
    if not path.exists():
        pytest.skip(f"no compiler for {runtime} is installed")
    return program(path.name)


def recorded(tmp_path, *command, status=0, environment=None, options=()):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "openmp", "-s", "none", "--cpuctxsw=none", "-f", "true", *options, "-o", path, "--",
                *command, env=os.environ | (environment or {}))
    assert done.returncode == status, done
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    return report


def rows(report, table):
    name = f"OPENMP_EVENT_KIND_{table}"
    return report.query(f"SELECT * FROM {name} ORDER BY start, end") if name in report.tables() else []


def is_continued(row, tasks):
    """True if the row goes on with what an explicit task interrupted."""
    return any(0 <= row["start"] - end <= 4 for end in tasks[row["globalTid"]])


def constructs(report):
    """How often each construct was done, by table, name and columns."""
    tasks = collections.defaultdict(list)
    for row in rows(report, "TASK"):
        if row["kind"] == 4:
            tasks[row["globalTid"]].append(row["end"])
    texts = {row["id"]: row["value"] for row in report.query("SELECT * FROM StringIds")}
    found = collections.Counter()
    for table in TABLES:
        for row in rows(report, table):
            is_task = table == "TASK" and row["kind"] == 4
            if is_task or not is_continued(row, tasks):
                columns = [row[name] if name in row.keys() else "" for name in COLUMNS]
                found[(table, texts.get(row["nameId"], ""), *map(str, columns))] += 1
    return found


def truth():
    """What nsys's report of omp_zoo has."""
    lines = (TRUTH / "omp_zoo.tsv").read_text().splitlines()[1:]
    return collections.Counter({tuple(words[:-1]): int(words[-1]) for words in (line.split("\t") for line in lines)})


def test_the_same_rows_as_nsys(tmp_path):
    report = recorded(tmp_path, built("omp_zoo"))
    assert constructs(report) == truth()
    released = rows(report, "MUTEX_RELEASED")[0]
    assert (released["nameId"], released["eventClass"], released["correlationId"]) == (4294967295, 78, 0)
    assert report.value("SELECT label FROM ENUM_OPENMP_SYNC_REGION WHERE id = 5") == "Task wait"
    stats = prof("stats", "-r", "openmp_sum", "-f", "csv", report.path)
    assert stats.returncode == 0 and "Waiting to enter Critical Region" in stats.stdout


def comparable(found):
    """Without what libgomp does not say: master regions, and which barriers the program wrote. Its regions have numbers
    from 1, because it has no region around the program."""
    first = min(int(region) for table, _, region, *_ in found if table == "PARALLEL")
    result = collections.Counter()
    for (table, name, region, kind, count), times in found.items():
        if table == "SYNC_REGION" and "Barrier" in name:
            name, kind = "Barrier", ""
        if table != "MASTER":
            result[(table, name, str(int(region) - first) if region else "", kind, count)] += times
    return result


def test_libgomp_has_the_same_rows(tmp_path):
    report = recorded(tmp_path, built("omp_zoo", "libgomp"))
    assert comparable(constructs(report)) == comparable(truth())


RUNTIMES = pytest.mark.parametrize("runtime", ["libomp", "libgomp"])


@RUNTIMES
def test_what_tasks_did_is_cut_where_they_are_interrupted(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_zoo", runtime))
    by_thread = collections.defaultdict(list)
    for row in rows(report, "TASK"):
        by_thread[row["globalTid"]].append((row["start"], row["end"]))
    for times in by_thread.values():
        assert all(before[1] <= after[0] for before, after in zip(times, times[1:]))


def regions(report):
    """The rows of openmp_regions, by function."""
    stats = prof("stats", "-r", "openmp_regions", "-f", "csv", report.path)
    lines = [line.split(",") for line in stats.stdout.splitlines() if "," in line]
    return {row[lines[0].index("Function")]: dict(zip(lines[0], row)) for row in lines[1:]}


def line_of(text):
    source = source_of("omp_uneven.c").read_text().splitlines()
    return 1 + next(i for i, line in enumerate(source) if text in line)


@RUNTIMES
def test_regions_by_source_line(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_uneven", runtime))
    found = regions(report)
    uneven = found["uneven"]
    assert (uneven["Instances"], uneven["Threads"]) == ("5", "4")
    # GCC may give the call the line of the function.
    line = line_of("parallel  // uneven")
    assert uneven["Region"] in {f"omp_uneven.c:{each}" for each in ([line] if runtime == "libomp" else [line - 1, line])}
    # Each thread's clock says how much it worked and waited, however busy the machine is.
    for line in report.done.stdout.splitlines():
        name, imbalance, waits = line.split()
        assert abs(float(found[name]["Imbalance (%)"]) - float(imbalance)) < 5, (found, line)
        # A wait lasts until its region ends, not until the next one begins.
        assert abs(float(found[name]["Barriers (%)"]) - float(waits)) < 10, (found, line)
    assert len(report.done.stdout.splitlines()) == 2


@RUNTIMES
@pytest.mark.parametrize("how, status", [("exit", 4), ("_exit", 4), ("kill", -9), ("exec", 4)])
def test_the_program_ends_in_a_region(tmp_path, how, status, runtime):
    report = recorded(tmp_path, built("omp_ends", runtime), how, status=status if status > 0 else 128 - status)
    first, last = rows(report, "PARALLEL")
    assert first["end"] <= last["start"] < last["end"]
    assert {row["parallelId"] for row in rows(report, "TASK")} == {first["parallelId"], last["parallelId"]}
    if how == "exec":  # the time of sh does not count
        assert last["end"] - last["start"] < 40_000_000


@RUNTIMES
def test_a_fork_in_a_region(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_ends", runtime), "fork")
    assert report.done.stdout == "child 3\n"
    assert len(rows(report, "PARALLEL")) == 2


@RUNTIMES
def test_nested_regions(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_ends", runtime), "nested")
    inner = [row for row in rows(report, "PARALLEL") if row["parentTaskId"] != 0]
    assert len(inner) == 2 and len(rows(report, "PARALLEL")) == 4
    tasks = {row["taskId"] for row in rows(report, "TASK")}
    assert {row["parentTaskId"] for row in inner} <= tasks
    assert len(tasks) == 8


@RUNTIMES
def test_threads_of_the_program_have_regions(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_ends", runtime), "two")
    assert len({row["globalTid"] for row in rows(report, "PARALLEL")}) == 2
    assert len({row["parallelId"] for row in rows(report, "PARALLEL")}) == 3


@RUNTIMES
def test_tests_of_locks(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_ends", runtime), "test")
    assert report.done.stdout == "tests 1 0\n"
    # LLVM 14 does not tell tests from waits.
    assert [row["kind"] for row in rows(report, "MUTEX_WAIT")] in ([1], [2])


def test_a_tool_of_the_program_goes_first(tmp_path):
    report = recorded(tmp_path, built("omp_zoo"), environment={"OMP_TOOL_LIBRARIES": "/no/such/tool.so"})
    assert not [table for table in report.tables() if table.startswith("OPENMP")]
    assert any("another tool for it: /no/such/tool.so" in text for text in report.diagnostics())


def test_a_preloaded_tool_goes_first(tmp_path):
    source, tool = tmp_path / "tool.c", tmp_path / "tool.so"
    source.write_text("#include <stdio.h>\nstatic int start(void *a, int b, void *c) { puts(\"tool\"); return 1; }\n"
                      "static void end(void *a) { (void)a; }\nstatic struct { void *start, *end, *data; } result;\n"
                      "void *ompt_start_tool(unsigned a, const char *b) {\n"
                      "  result.start = start; result.end = end; return &result; }\n")
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", tool, source], check=True)
    report = recorded(tmp_path, built("omp_ends"), "test", environment={"LD_PRELOAD": str(tool)})
    assert report.done.stdout.startswith("tool\n")
    assert any(f"another tool for it: {tool}" in text for text in report.diagnostics())


@RUNTIMES
def test_recording_begins_and_ends_in_a_region(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_uneven", runtime), options=["--delay=0.05", "--duration=0.05"])
    for row in rows(report, "TASK"):
        assert row["start"] <= row["end"]


@pytest.mark.parametrize("traces, is_loaded", [("openmp", True), ("osrt,mpi", False)])
def test_the_library_is_loaded_if_openmp_is_traced(tmp_path, traces, is_loaded):
    done = prof("profile", "-t", traces, "-f", "true", "-o", tmp_path / "r.db", "sh", "-c", "echo $LD_PRELOAD")
    assert ("libprof_openmp.so" in done.stdout) == is_loaded


def test_a_program_without_openmp(tmp_path):
    report = recorded(tmp_path, "/bin/true")
    assert not [table for table in report.tables() if "OPENMP" in table or "OpenMP" in table]


def test_a_program_of_gcc_on_libomp(tmp_path):
    """LLVM's runtime has libgomp's functions, too: each region is recorded once."""
    library = next(iter(glob.glob("/usr/lib/*/libomp.so.5") + glob.glob("/usr/lib/llvm-*/lib/libomp.so.5")), None)
    if library is None:
        pytest.skip("libomp is not installed")
    (tmp_path / "libgomp.so.1").symlink_to(library)
    report = recorded(tmp_path, built("omp_zoo", "libgomp"), environment={"LD_LIBRARY_PATH": str(tmp_path)})
    assert comparable(constructs(report))[("TASK", "Implicit Task", "5", "2", "")] == 4
    assert len(rows(report, "PARALLEL")) == 7


def test_two_runtimes_in_one_process(tmp_path):
    """Each thread's regions are those of the runtime that it calls."""
    built("omp_zoo")
    source = tmp_path / "half.c"
    source.write_text("#include <unistd.h>\nvoid NAME(void) {\n#pragma omp parallel num_threads(2)\nusleep(1000); }\n")
    for compiler, name in (("gcc", "one"), ("clang", "other")):
        subprocess.run([compiler, "-g", "-fopenmp", "-shared", "-fPIC", f"-DNAME={name}", "-o", tmp_path / f"lib{name}.so", source],
                       check=True)
    (tmp_path / "main.c").write_text("void one(void); void other(void);\n"
                                     "int main(void) { for (int i = 0; i < 3; ++i) { one(); other(); } return 0; }\n")
    subprocess.run(["gcc", "-o", tmp_path / "main", tmp_path / "main.c", f"-L{tmp_path}", "-lone", "-lother",
                    f"-Wl,-rpath,{tmp_path}"], check=True)
    report = recorded(tmp_path, tmp_path / "main")
    found = report.query("SELECT codeId, count(*) FROM OPENMP_EVENT_KIND_PARALLEL GROUP BY codeId")
    assert sorted(row[1] for row in found) == [3, 3]
    modules = [row[0] for row in report.query("SELECT value FROM PROF_OPENMP_CODE JOIN StringIds ON StringIds.id = module")]
    assert sorted(path.split("/")[-1] for path in modules) == ["libone.so", "libother.so"]
    ids = [row["parallelId"] for row in rows(report, "PARALLEL")]
    assert len(ids) == len(set(ids))


@RUNTIMES
def test_results_are_those_without_prof(tmp_path, runtime):
    report = recorded(tmp_path, built("omp_answers", runtime))
    assert report.done.stdout == "bad=0 dependent=1 sum=252 taskloops=9900 fibonacci=610 reduced=4950 depth=3\n"
    created = {row["newTaskId"] for row in rows(report, "TASK_CREATE")}
    done = {row["taskId"] for row in rows(report, "TASK") if row["kind"] == 4}
    assert done == created and len(created) > 1000


def test_regions_are_compared(tmp_path):
    reports = []
    for name in ("omp_uneven", "omp_ends"):
        (tmp_path / name).mkdir()
        reports.append(recorded(tmp_path / name, built(name, "libgomp")).path)
    done = prof("diff", "-f", "csv", "--category=openmp", "--min-change=0", *reports)
    assert done.returncode == 0, done
    assert "uneven (omp_uneven.c)" in done.stdout and "region (omp_ends.c)" in done.stdout


def test_findings(tmp_path):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "openmp,osrt", "-o", path, built("omp_uneven", "libgomp"))
    assert done.returncode == 0, done
    found = json.loads(prof("analyze", "-f", "json", path).stdout)
    imbalance, = (each for each in found["findings"] if each["rule"] == "openmp_imbalance")
    assert imbalance["evidence"].startswith("{n1} ({n2}): 5 regions of 4 threads")
    assert found["names"]["n2"]["text"] == "uneven"
    # The region itself is the first row, and its length is what the query gives.
    region = imbalance["rows"][0]
    assert region["table"] == "OPENMP_EVENT_KIND_PARALLEL" and len(region["ids"]) == 1
    length = Report(path).value(imbalance["sql"]["worst_ns"])
    assert length == imbalance["worst_ns"] == imbalance["where"]["end_ns"] - imbalance["where"]["start_ns"]


def findings_of(path, *command):
    done = prof("profile", "-t", "openmp,osrt", "-f", "true", "-o", path, "--", *command, env=os.environ | {"GOMP_SPINCOUNT": "0"})
    assert done.returncode == 0, done
    return json.loads(prof("analyze", "-f", "json", path).stdout)


@pytest.mark.alone
@pytest.mark.parametrize("threads", [2, 4])
def test_more_threads_than_cpus(tmp_path, threads):
    """On one CPU each of N threads waits for (N - 1) / N of the time."""
    cpu = str(min(os.sched_getaffinity(0)))
    for _ in range(5):  # other programs may want the CPU, too
        found = findings_of(tmp_path / "r.db", "taskset", "-c", cpu, built("omp_busy", "libgomp"), threads)
        finding = next((each for each in found["findings"] if each["rule"] == "openmp_oversubscribed"), {"at_stake_ns": 0})
        regions = Report(tmp_path / "r.db").value('SELECT sum("end" - start) FROM OPENMP_EVENT_KIND_PARALLEL')
        if finding["at_stake_ns"] == pytest.approx(regions * (threads - 1) / threads, rel=0.05):
            break
    else:
        pytest.fail(str(found))
    assert not {"too_few_cpus", "openmp_imbalance"} & {each["rule"] for each in found["findings"]}
    place = re.match(rf"\{{n\d+\}} \(\{{(n\d+)\}}\): 2 regions of {threads} threads, of which at most 1 runs at the same time", finding["evidence"])
    assert place and found["names"][place[1]]["text"] == "busy", finding


@pytest.mark.alone
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU")
def test_as_many_threads_as_cpus(tmp_path):
    # Other programs may take a CPU, so one run of five has to be without the finding.
    for _ in range(5):
        rules = [each["rule"] for each in findings_of(tmp_path / "r.db", built("omp_busy", "libgomp"), 2)["findings"]]
        if "openmp_oversubscribed" not in rules:
            return
    assert not rules


def test_target_constructs(tmp_path):
    report = recorded(tmp_path, built("omp_target", "libgomp"))
    assert report.done.stdout == "99\n"
    found = report.query("SELECT value, bytes, codeId IS NULL FROM PROF_OPENMP_TARGETS JOIN StringIds ON id = nameId ORDER BY start")
    assert [tuple(row) for row in found] == [
        ("Target Enter Data", 2400, 0), ("Target Region", 1600, 0), ("Target Update", 800, 0), ("Target Exit Data", 0, 0),
        ("Target Enter Data", 800, 0), ("Target Exit Data", 800, 0)]


@RUNTIMES
def test_program_of_the_benchmark(tmp_path, runtime):
    """tests/bench/parallel_calls.py reads its lines."""
    report = recorded(tmp_path, built("omp_price", runtime))
    names = [line.split()[0] for line in report.done.stdout.splitlines()]
    assert names[0] == "region_1" and names[2:] == ["critical", "lock_and_unlock", "task", "barrier", "single"]
    assert report.value("SELECT count(*) FROM OPENMP_EVENT_KIND_CRITICAL_SECTION") >= 20 * 500


@RUNTIMES
def test_barriers_by_line(tmp_path, runtime):
    """Three threads wait for the fourth, which sleeps 30 ms longer, in each of 5 regions."""
    report = recorded(tmp_path, built("omp_uneven", runtime))
    stats = prof("stats", "-r", "openmp_barriers", "-f", "csv", report.path)
    lines = [line.split(",") for line in stats.stdout.splitlines() if "," in line]
    found = [dict(zip(lines[0], row)) for row in lines[1:]]
    line = line_of("parallel  // uneven")
    uneven = [row for row in found if row["Region"] in (f"omp_uneven.c:{line}", f"omp_uneven.c:{line - 1}")]
    assert len(uneven) == 1 and uneven[0]["Barrier"] == "Implicit Barrier" and uneven[0]["Threads"] == "4", found
    region = int(regions(report)["uneven"]["Total Time (ns)"])
    assert 0 < int(uneven[0]["Total Time (ns)"]) <= 4 * region
