"""prof stats as people read it: what is printed without -r, and how it looks on a terminal."""
import csv
import io
import re
import sqlite3
import subprocess
import sys

import pytest
from profiling import SOURCE, prof, profile, unpacked
from terminal import COLOUR, on_terminal, titles



@pytest.fixture(scope="module")
def nsys_report(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("nsys") / "zoo.sqlite")


@pytest.fixture(scope="module")
def shell_report(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("report"), "sh", "-c", "ls / >/dev/null; sleep 0.01; echo hello",
                   options=["--osrt-threshold=0"])


@pytest.fixture(scope="module")
def crowded_report(tmp_path_factory):
    """Many threads, files and functions, all with long names."""
    folder = tmp_path_factory.mktemp("crowded")
    script = folder / "a program with a rather long name.py"
    script.write_text(f"""
import os, socket, threading
folder = {str(folder)!r} + "/" + "x" * 200
os.mkdir(folder)
def {"a_function_with_a_long_name_" * 6}(number):
    for i in range(60):
        with open(f"{{folder}}/{{'y' * 150}} {{number}} {{i}}", "w") as file:
            file.write("z" * 10)
def talk(number):
    one, other = socket.socketpair()
    for i in range(50):
        one.send(b"x"), other.recv(1)
    sum(i * i for i in range(300_000))
work = [threading.Thread(target=each, args=(i,), name=f"worker number {{i}} of the great pool of threads")
        for i in range(20) for each in ({"a_function_with_a_long_name_" * 6}, talk)]
[each.start() for each in work]
[each.join() for each in work]
""")
    return profile(folder, sys.executable, script, traces="osrt,nvtx,python-gil",
                   options=["--osrt-threshold=0", "--osrt-file-access=true", "--osrt-backtrace-threshold=0",
                            "-s", "process-tree", "--python-sampling=true"]).path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.strip())))


def test_all_with_data_are_printed_nsyss_first(nsys_report):
    done = prof("stats", nsys_report)
    names = titles(done.stdout)
    assert names[:6] == ["nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum",
                         "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum"]
    assert {"cpu_sample_sum", "cpu_sample_tree", "thread_state_sum", "gpu_time_breakdown", "memory_usage",
            "osrt_callers", "nvtx_gpu_proj_sum"} <= set(names)
    assert not [name for name in names if "trace" in name] and done.stderr == ""
    # Each is what it is alone: no row less, no color, the same units.
    assert done.stdout == "".join(prof("stats", "-r", name, nsys_report).stdout for name in names)


def test_a_terminal_gets_the_same_statistics(nsys_report):
    text, status = on_terminal("stats", nsys_report)
    assert status == 0 and set(titles(text)) == set(titles(prof("stats", nsys_report).stdout))
    assert "SKIPPED" not in text and "cuda_gpu_trace" in "".join(text.splitlines()[-4:])


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_tables_fit_the_terminal(nsys_report, columns):
    names = "osrt_sum,cuda_gpu_kern_sum,cuda_gpu_trace,cuda_kern_exec_sum,kernel_occupancy,nvtx_gpu_proj_trace"
    text, status = on_terminal("stats", "-r", names, nsys_report, columns=columns)
    assert status == 0 and titles(text) == names.split(",")
    assert not [line for line in COLOUR.sub("", text).splitlines() if len(line) > columns and "**" not in line]
    assert " Columns that do not fit: " in text


def widths_and_lines(text):
    """Without messages, which go to the standard error and are not part of a table."""
    lines = [line for line in COLOUR.sub("", text).splitlines() if not line.startswith("prof: ")]
    return max(map(len, lines)), len(lines)


@pytest.mark.parametrize("kind", ["many events", "nsys", "long names"])
def test_every_statistic_fits_a_terminal(kind, tmp_path, request):
    if kind == "many events":
        path = tmp_path / "many.db"
        subprocess.run([sys.executable, SOURCE / "tests" / "bench" / "make_report.py", path, "--kernels", "3000"],
                       check=True)
    else:
        path = request.getfixturevalue({"nsys": "nsys_report", "long names": "crowded_report"}[kind])
    names = re.findall(r"^  (\w+) ", prof("stats", "--help-reports").stdout, re.M)
    texts = {name: on_terminal("stats", "-r", name, path, columns=120, rows=50)[0] for name in names}
    sizes = {name: widths_and_lines(text) for name, text in texts.items() if titles(text)}
    assert len(sizes) >= {"many events": 20, "nsys": 30, "long names": 8}[kind]
    assert {name: size for name, size in sizes.items() if size[0] > 120 or size[1] > 50} == {}
    all_at_once = on_terminal("stats", path, columns=120, rows=50)[0]
    assert widths_and_lines(all_at_once)[0] <= 120
    analysis = on_terminal("analyze", path, columns=120)[0]
    assert " Verdict: " in analysis
    # A word is not broken.
    assert not [line for line in analysis.splitlines() if len(line) > 120 and max(map(len, line.split())) < 100]


def test_rows_on_a_terminal(nsys_report):
    calls = len(rows_of(prof("stats", "-r", "cuda_api_trace", "-f", "csv", nsys_report).stdout))
    assert calls > 31
    shown = lambda *options: on_terminal("stats", "-r", "cuda_api_trace", *options, nsys_report)[0]
    assert f" … and {calls - 30} more (--rows 0 shows all)" in COLOUR.sub("", shown())
    assert f" … and {calls - 5} more" in COLOUR.sub("", shown("--rows", "5"))
    assert "more (" not in shown("--rows", "0")
    piped = prof("stats", "-r", "cuda_api_trace", "--rows", "5", nsys_report).stdout
    assert f" … and {calls - 5} more" in piped
    assert len(rows_of(prof("stats", "-r", "cuda_api_trace", "--rows=5", "-f", "csv", nsys_report).stdout)) == 5
    assert prof("stats", "--rows", "-1", nsys_report).returncode == 2


def test_colors(nsys_report):
    shown = lambda *options, **environment: on_terminal("stats", "-r", "osrt_sum", *options, nsys_report,
                                                        **environment)[0]
    assert COLOUR.search(shown()) and not COLOUR.search(shown("--color=never"))
    assert not COLOUR.search(shown(NO_COLOR="1")) and not COLOUR.search(shown(TERM="dumb"))
    assert COLOUR.search(shown("--color", "always", NO_COLOR="1"))
    assert "\x1b" not in shown("-f", "csv") and "\x1b" not in prof("stats", nsys_report).stdout
    assert "\x1b" in prof("stats", "--color=always", "-r", "osrt_sum", nsys_report).stdout
    assert "\x1b" not in prof("stats", "--color=always", "-r", "osrt_sum", "-f", "json", nsys_report).stdout
    assert prof("stats", "--color=red", nsys_report).returncode == 2


def test_units(nsys_report):
    line = next(line for line in on_terminal("stats", "-r", "osrt_sum", "--color=never", nsys_report)[0].splitlines()
                if line.endswith(" poll"))
    first = rows_of(prof("stats", "-r", "osrt_sum", "-f", "csv", nsys_report).stdout)[0]
    assert first["Name"] == "poll" and f"{int(first['Total Time (ns)']) / 1e6:.0f} ms" in line
    fixed = on_terminal("stats", "-r", "osrt_sum", "--timeunit", "nsec", nsys_report)[0]
    assert f"{int(first['Total Time (ns)']):,}" in fixed


def test_pager(nsys_report):
    pager = "sed 's/^/> /'"
    text = on_terminal("stats", "-r", "osrt_sum", nsys_report, PAGER=pager)[0]
    assert all(line.startswith("> ") for line in text.splitlines())
    assert on_terminal("stats", "-r", "osrt_sum", nsys_report, PAGER="x", PROF_PAGER=pager)[0] == text
    for options in (["--no-pager"], ["-f", "csv"], ["-f", "json"]):
        assert "> " not in on_terminal("stats", "-r", "osrt_sum", *options, nsys_report, PAGER=pager)[0]
    # Messages are shown with the tables. A user who leaves the pager early gets no message.
    missing = on_terminal("stats", "-r", "openmp_sum", nsys_report, PAGER=pager)[0]
    assert missing.startswith("> SKIPPED: ")
    early = on_terminal("stats", "-r", "cuda_api_trace", "--rows", "0", nsys_report, PAGER="head -1")[0]
    assert early.strip() == ""


def test_what_records_missing_data(shell_report):
    path = shell_report.path
    done = prof("stats", "-r", "python_sample_sum,cuda_api_sum,mpi_event_sum,osrt_sum", path)
    assert done.returncode == 0 and done.stderr.splitlines() == [
        f"SKIPPED: {path} does not contain Python samples. To record it: prof profile --python-sampling=true",
        f"SKIPPED: {path} does not contain CUDA trace data. To record it: prof profile -t cuda, if the program "
        "uses CUDA",
        f"SKIPPED: {path} does not contain MPI event data. To record it: prof profile -t mpi, if the program uses MPI"]


def test_sort(nsys_report):
    column = lambda order, name: [row[name] for row in rows_of(prof(
        "stats", "-r", "osrt_sum", "--sort", order, "-f", "csv", nsys_report).stdout)]
    calls = [int(value) for value in column("num", "Num Calls")]
    assert calls == sorted(calls, reverse=True) and calls != sorted(calls)
    assert [int(value) for value in column("Num Calls:asc", "Num Calls")] == sorted(calls)
    assert column("name", "Name") == sorted(column("name", "Name"))
    done = prof("stats", "-r", "osrt_sum", "--sort", "nonsense", nsys_report)
    assert done.returncode == 2 and "no column starts with nonsense" in done.stderr and "Num Calls" in done.stderr
    # Others keep their order if one has the column.
    assert prof("stats", "-r", "osrt_sum,memory_usage", "--sort", "peak", nsys_report).returncode == 0


def test_names(nsys_report):
    names = lambda *options: {row["Name"] for row in rows_of(prof(
        "stats", "-r", "cuda_api_sum", "-f", "csv", *options, nsys_report).stdout)}
    everything = names()
    assert names("--name", "MEMCPY") == {name for name in everything if "memcpy" in name.lower()} != set()
    assert names("--name", "cuda*Create*", "--name", "cudaFree") == {
        name for name in everything if (name.startswith("cuda") and "Create" in name) or "cudaFree" in name} != set()
    done = prof("stats", "--name", "nonsense", nsys_report)
    assert (done.returncode, done.stdout) == (0, "") and "no row matches --name nonsense" in done.stderr


def test_processes_and_threads(tmp_path):
    report = profile(tmp_path, "sh", "-c", "cat /dev/null; ls /nonexistent; exit 0", options=["--osrt-threshold=0"])
    pid = report.value("SELECT pid FROM PROCESSES WHERE name LIKE '%/cat'")
    counts = lambda *options: {row["Name"]: int(row["Num Calls"]) for row in rows_of(prof(
        "stats", "-r", "osrt_sum", "-f", "csv", *options, report.path).stdout)}
    expected = {row["name"]: row["n"] for row in report.query(
        "SELECT s.value AS name, count(*) AS n FROM OSRT_API o JOIN StringIds s ON s.id = nameId "
        "WHERE globalTid >> 24 & 0xffffff = ? GROUP BY 1", pid)}
    assert counts("--process", pid) == counts("--process", "cat") == counts("--thread", pid) == expected != {}
    assert counts("--process", "cat,sh") != expected
    for option in ("--process", "--thread"):
        done = prof("stats", option, "nonsense", report.path)
        assert done.returncode == 1 and "matches nonsense (the report has: " in done.stderr


def test_numbered_ranges_merge(nsys_report, tmp_path):
    plain = rows_of(prof("stats", "-r", "nvtx_pushpop_sum", "-f", "csv", nsys_report).stdout)
    merged = rows_of(prof("stats", "-r", "nvtx_pushpop_sum:merge", "-f", "csv", nsys_report).stdout)
    steps = [row for row in plain if row["Range"].startswith(":iter ")]
    one, = (row for row in merged if row["Range"] == ":iter #")
    assert len(steps) > 1 and len(merged) == len(plain) - len(steps) + 1
    assert int(one["Instances"]) == sum(int(row["Instances"]) for row in steps)
    assert int(one["Total Time (ns)"]) == sum(int(row["Total Time (ns)"]) for row in steps)
    assert prof("stats", "-r", "nvtx_sum:nonsense", nsys_report).returncode == 2


def test_an_empty_report(tmp_path):
    path = tmp_path / "none.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    done = prof("stats", path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"prof: {path}: no statistic has data. What it holds: prof info {path}\n"
