"""Python call chains of events: function, file and line of every frame, as in Python's own view."""
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from cuda_app import FAKES, needs_cuda, run
from profiling import PROF, Report, prof, profile, program, source_of

CALLS = FAKES / "libfake_cuda_calls.so"
# The tests' interpreter, and other interpreters of this machine if there are any.
def usable(python):
    done = subprocess.run([python, "-c", "import ctypes, sys; print(*sys.version_info[:2])"],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0 and (3, 9) <= tuple(map(int, done.stdout.split())) <= (3, 14)


PYTHONS = sorted({sys.executable, *map(str, filter(usable, Path.home().glob(
    ".pyenv/versions/3.*/bin/python3")))})


def chains(report, table="CUDA_CALLCHAINS"):
    """Frames of each chain: [function, file, line], innermost first."""
    found = defaultdict(list)
    for row in report.query(f"""
            SELECT c.*, s.value AS function, m.value AS place FROM {table} c
            JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module
            ORDER BY c.id, c.stackDepth"""):
        assert row["stackDepth"] == len(found[row["id"]])
        place = row["place"]
        if row["line"] is not None:
            place, line = place.rsplit(":", 1)
            assert int(line) == row["line"] and row["unresolved"] == 0
        found[row["id"]].append([row["function"], place, row["line"]])
    return found


@needs_cuda
@pytest.mark.parametrize("python", PYTHONS)
def test_chains_are_those_of_python(tmp_path, python):
    report = run(tmp_path, command=[python, source_of("python_calls.py"), CALLS], traces="cuda",
                 options=("--python-backtrace=cuda",),
                 environment={"LD_LIBRARY_PATH": str(FAKES)}.items())
    found = chains(report)
    calls = defaultdict(list)
    for row in report.query("""SELECT globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid,
                               callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start"""):
        calls[row["pid"], row["tid"]].append(found[row["callchainId"]])
    expected = defaultdict(list)
    for event in report.expected():
        expected[event["pid"], event["tid"]].append(event["frames"])
    assert calls.keys() == expected.keys()
    for thread, frames in expected.items():
        for seen, real in zip(calls[thread], frames):
            assert seen == real
        assert len(calls[thread]) == len(frames)


def of_python(python):
    """The libpython of an interpreter. None if it is part of the executable."""
    done = subprocess.run(
        [python, "-c", "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + "
         "s.get_config_var('INSTSONAME'))"], capture_output=True, text=True, check=True)
    path = Path(done.stdout.strip())
    return path if path.suffix != ".a" and path.exists() else None


@needs_cuda
@pytest.mark.parametrize("python", PYTHONS)
def test_an_interpreter_that_ends(tmp_path, python):
    def ending():
        return run(tmp_path, command=[python, source_of("python_endings.py"), CALLS], traces="cuda",
                   options=("--python-backtrace=cuda",), environment={"LD_LIBRARY_PATH": str(FAKES)}.items())

    for _ in range(5):
        try:
            report = ending()
        except AssertionError as error:
            # CPython before 3.14 aborts once in a while if a daemon thread wants to go on (gh-87135, gh-110052).
            if "take_gil: PyMUTEX_LOCK(gil->mutex) failed" not in str(error):
                raise
            report = ending()
        functions = {tuple(frame[0] for frame in chain) for chain in chains(report).values()}
        assert ("at_exit",) in functions
        in_thread = [chain for chain in functions if chain[0] == "for_ever"]
        assert in_thread and all(chain[1] == ("Thread.run" if "." in chain[1] else "run")
                                 for chain in in_thread)


def home_of(python):
    return subprocess.run([python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True,
                          check=True).stdout.strip()


@needs_cuda
@pytest.mark.parametrize("python", PYTHONS)
def test_an_interpreter_that_comes_late(tmp_path, python):
    library = of_python(python)
    if library is None:
        pytest.skip("its library is not shared")
    report = run(tmp_path, command=[program("embeds_python"), library, CALLS], traces="cuda",
                 options=("--python-backtrace=cuda",),
                 environment={"LD_LIBRARY_PATH": str(FAKES), "PYTHONHOME": home_of(python)}.items())
    calls = [row["callchainId"] for row in report.query(
        "SELECT callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start")]
    assert [call is None for call in calls] == [True, False, True, True]
    assert chains(report)[calls[1]] == [["launches", "<string>", 3], ["<module>", "<string>", 4]]


@pytest.mark.parametrize("python", PYTHONS)
def test_chains_of_long_calls(tmp_path, python):
    report = profile(tmp_path, python, source_of("python_waits.py"),
                     options=("--python-backtrace=osrt", "--osrt-backtrace-depth=0",
                              "--osrt-backtrace-threshold=1000000"))
    found = chains(report, "OSRT_CALLCHAINS")
    for function, wait in report.expected().items():
        where = [id for id, frames in found.items()
                 if (frames[0][0], frames[0][2]) == (function, wait["line"])]
        rows = report.query(f"""SELECT end - start AS duration FROM OSRT_API
                                WHERE callchainId IN ({','.join(map(str, where))})""")
        # The wait for the GIL is added if another thread has just taken it.
        assert sum(row["duration"] >= 1_000_000 for row in rows) >= wait["times"]
        assert [frame[0] for frame in found[where[0]]] == [function, "main", "<module>"]
    assert not report.value("SELECT count(*) FROM OSRT_API WHERE callchainId <> 0 "
                            "AND end - start < 999000")


def test_without_the_option_there_are_none(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_waits.py"),
                     options=("--osrt-backtrace-depth=0",))
    assert "OSRT_CALLCHAINS" not in report.tables()
    assert not report.value("SELECT count(*) FROM OSRT_API WHERE callchainId <> 0")


@pytest.mark.parametrize("wrong", ["sometimes", "cuda,none", "cuda,,x"])
def test_wrong_lists_are_refused(wrong):
    done = prof("profile", f"--python-backtrace={wrong}", "true")
    assert done.returncode != 0 and "python-backtrace" in done.stderr


@needs_cuda
def test_callers_of_the_cuda_api(tmp_path):
    report = run(tmp_path, command=[sys.executable, source_of("python_calls.py"), CALLS],
                 traces="cuda", options=("--python-backtrace=cuda",),
                 environment={"LD_LIBRARY_PATH": str(FAKES)}.items())
    for depth, argument in ((1, ""), (2, ":depth=2"), (10**9, ":depth=-1")):
        expected = Counter()
        for event in report.expected():
            frames = event["frames"][:depth]
            expected[" < ".join(frame[0] for frame in frames),
                     " < ".join(place(frame) for frame in frames)] += 1
        found = Counter()
        for row in report.statistics("cuda_api_callers" + argument):
            assert row["Name"] in ("cudaLaunchKernel", "cudaLaunchHostFunc_v10000")
            found[row["Caller"], row["Location"]] += row["Num Calls"]
        assert found == expected


@pytest.mark.parametrize("python", PYTHONS)
def test_callers_in_native_and_python_code(tmp_path, python):
    """The native function that made the call, and the Python line that called this function."""
    report = profile(tmp_path, python, source_of("python_waits.py"),
                     options=("--python-backtrace=osrt", "--osrt-backtrace-depth=64",
                              "--osrt-backtrace-threshold=1000000"))
    rows = report.statistics("osrt_callers")
    whole = report.statistics("osrt_callers:depth=-1")
    for function, wait in report.expected().items():
        where = place([function, source_of("python_waits.py"), wait["line"]])
        of_function = [row for row in rows if row["Caller"].endswith(f" < {function}") and row["Location"].endswith(f" < {where}")]
        assert sum(row["Num Calls"] for row in of_function) >= wait["times"]
        for row in of_function:
            native = row["Caller"].split(" < ")
            assert len(native) <= 3 and native[1:-1] in ([], ["..."])
            assert any(chain["Caller"].startswith(f"{native[0]} < ") and f" < {function} < " in chain["Caller"]
                       for chain in whole)


def place(frame):
    return frame[1] if frame[2] is None else f"{frame[1]}:{frame[2]}"


def test_callers_of_the_os_runtime(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_waits.py"),
                     options=("--python-backtrace=osrt", "--osrt-backtrace-depth=0",
                              "--osrt-backtrace-threshold=1000000"))
    rows = report.statistics("osrt_callers")
    for function, wait in report.expected().items():
        where = place([function, source_of("python_waits.py"), wait["line"]])
        assert sum(row["Num Calls"] for row in rows
                   if (row["Caller"], row["Location"]) == (function, where)) >= wait["times"]


def sampled(tmp_path, *command, options=()):
    path = tmp_path / "report.db"
    done = prof("profile", "-t", "none", "--python-sampling=true", "-o", path, *options, "--", *command)
    assert done.returncode == 0, done.stderr
    return Report(path, done)


@pytest.mark.alone
@pytest.mark.parametrize("python", PYTHONS)
def test_sampled_shares(tmp_path, python):
    report = sampled(tmp_path, python, source_of("python_shares.py"), "1.5")
    rows = {row["Function"]: row for row in report.statistics("python_sample_sum")
            if row["Location"].endswith("python_shares.py")}
    expected = report.expected()
    at_work = rows["main"]["Total Samples"]
    for function in ("half", "third", "fifth"):
        share = 100 * rows[function]["Total Samples"] / at_work
        assert abs(share - expected[function]) < 6, (function, share)
    assert rows["burn"]["Total Samples"] == rows["burn"]["Self Samples"] > 0.95 * at_work
    assert rows.get("idle", {"Total Samples": 0})["Total Samples"] < 0.02 * at_work  # it sleeps
    text = next(text for text in report.diagnostics() if text.startswith("Python samples: "))
    assert f"{report.value('SELECT count(*) FROM PROF_PYTHON_SAMPLES')} taken" in text
    lines = {(row["Function"], row["Location"]) for row in report.statistics("python_sample_sum:line")}
    source = source_of("python_shares.py").read_text().splitlines()
    for line in (number for number, text in enumerate(source, 1) if "return burn" in text):
        function = source[line - 2].split()[1].split("(")[0]
        assert (function, f"{source_of('python_shares.py')}:{line}") in lines


@pytest.mark.alone
@pytest.mark.parametrize("python", PYTHONS)
def test_samples_of_an_interpreter_that_comes_late(tmp_path, python):
    library = of_python(python)
    if library is None:
        pytest.skip("its library is not shared")
    report = sampled(tmp_path, "env", f"PYTHONHOME={home_of(python)}", program("loads_python"), library)
    rows = {row["Function"]: row["Self Samples"] for row in report.statistics("python_sample_sum")}
    assert rows["busy"] > 50


@pytest.mark.alone
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("where", ["thread", "main"])
def test_samples_of_a_subinterpreter(tmp_path, python, where):
    """The main interpreter's frames on the same thread wait meanwhile."""
    if subprocess.run([python, "-c", "import _xxsubinterpreters"], capture_output=True, check=False).returncode and \
            subprocess.run([python, "-c", "import _interpreters"], capture_output=True, check=False).returncode:
        pytest.skip("it has no subinterpreters")
    report = sampled(tmp_path, python, source_of("subinterpreters.py"), where)
    rows = Counter()  # other files have functions of these names, too
    for row in report.statistics("python_sample_sum"):
        rows[row["Function"]] += row["Self Samples"]
    assert rows["in_sub"] > 50 and rows["in_sub"] > 10 * rows["starts_it"], rows
    assert sum(rows[name] for name in ("in_main", "<genexpr>", "in_main.<locals>.<genexpr>")) > 5, rows


@pytest.mark.alone
def test_programs_in_step_with_the_clock(tmp_path):
    report = sampled(tmp_path, sys.executable, source_of("python_in_step.py"), "3",
                     options=("--python-sampling-frequency=500",))
    rows = {row["Function"]: row["Self Samples"] for row in report.statistics("python_sample_sum")}
    share = 100 * rows.get("first", 0) / (rows.get("first", 0) + rows.get("second", 0))
    assert abs(share - report.expected()["first"]) < 10
    for row in report.statistics("python_sample_sum"):  # samples at the frequency that was asked for
        assert row["Self Time (ns)"] == row["Self Samples"] * 2_000_000
        assert row["Total Time (ns)"] == row["Total Samples"] * 2_000_000


@pytest.mark.alone
def test_samples_of_children(tmp_path):
    report = sampled(tmp_path, sys.executable, "-c", """
import multiprocessing, time
def burn():
    end = time.thread_time() + 0.3
    while time.thread_time() < end: pass
if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=burn)
    process.start()
    process.join()
    process = multiprocessing.get_context("fork").Process(target=burn)
    process.start()
    process.join()
""", options=("--python-sampling-frequency=500",))
    rows = report.query("""
        SELECT p.globalTid >> 24 & 0xffffff AS pid, count(*) AS samples FROM PROF_PYTHON_SAMPLES p
        JOIN PROF_PYTHON_CALLCHAINS c ON c.id = p.callchainId AND c.stackDepth = 0
        JOIN StringIds s ON s.id = c.symbol WHERE s.value = 'burn' GROUP BY 1""")
    assert len(rows) == 2 and all(row["samples"] > 30 for row in rows)


@pytest.mark.parametrize("frequency", ["0", "2001", "fast"])
def test_wrong_frequencies_are_refused(frequency):
    done = prof("profile", f"--python-sampling-frequency={frequency}", "true")
    assert done.returncode != 0 and "python-sampling-frequency" in done.stderr


def test_programs_without_python_have_no_samples(tmp_path):
    report = sampled(tmp_path, "/bin/sh", "-c", "sleep 0.1")
    assert "PROF_PYTHON_SAMPLES" not in report.tables()
    assert any(text.startswith("Python samples: 0 taken") for text in report.diagnostics())


@pytest.mark.skipif(shutil.which("setpriv") is None or os.geteuid() != 0, reason="needs to give up CAP_SYS_PTRACE")
def test_a_program_that_may_not_be_read(tmp_path):
    path = tmp_path / "report.db"
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace", PROF, "profile", "-t",
         "none", "--python-sampling=true", "-o", path, "--", "/usr/bin/python3", "-c",
         "import ctypes, time; ctypes.CDLL(None).prctl(4, 0); time.sleep(0.2)"],  # not dumpable
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "Python is not sampled" in done.stderr
    assert any("ptrace_scope" in text for text in Report(path).diagnostics())
