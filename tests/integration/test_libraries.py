"""Calls of NVIDIA's libraries, with the stand-ins of tests/fake_libraries."""
import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from cuda_app import needs_cuda
from profiling import BUILD, Report, preloads_into_prof, prof, without_samples

FAKES = BUILD / "bin" / "fake_libraries"
LINKED, DLOPENED = FAKES / "linked", FAKES / "dlopened"
LIBRARIES = ("cublas", "cudnn", "cusolver", "cusparse", "nccl")
ALL = ",".join(LIBRARIES)
EVENT_CLASS = {"cublas": 29, "cudnn": 28, "cusolver": 1001, "cusparse": 1002, "nccl": 1003}


def run(tmp_path, *command, traces=ALL, options=(), status=0, **run_options):
    """Profiles a command. Returns its report, in which nothing was dropped."""
    path = tmp_path / "report.db"
    done = prof("profile", "-t", traces, "-f", "true", "-o", path, *without_samples(options), "--", *command,
                **run_options)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    return report


def rows(report, library):
    table = f"{library.upper()}_EVENTS"
    if table not in report.tables():
        return []
    return report.query(f"""
        SELECT e.*, s.value AS name, e.globalTid >> 24 & 0xffffff AS pid, e.globalTid & 0xffffff AS tid
        FROM {table} e JOIN StringIds s ON s.id = e.nameId ORDER BY e.start""")


def calls(report, library):
    return Counter(row["name"] for row in rows(report, library))


def answers(report, libraries=LIBRARIES):
    """The program received all its arguments, and the report has all its calls."""
    expected = report.expected()
    assert expected["wrong"] == 0
    for library in LIBRARIES:
        assert calls(report, library) == (expected[library] if library in libraries else {}), library
    return expected


@pytest.fixture(scope="module", name="linked")
def make_linked(tmp_path_factory):
    return run(tmp_path_factory.mktemp("linked"), LINKED, "threads")


def test_every_call_has_a_row(linked):
    answers(linked)


def test_rows(linked):
    end = linked.value("SELECT duration FROM ANALYSIS_DETAILS")
    for library in LIBRARIES:
        columns = [(row["name"], row["type"], row["notnull"]) for row in
                   linked.query(f"PRAGMA table_info({library.upper()}_EVENTS)")]
        own = [("productId", "INTEGER", 0)] if library == "cublas" else []
        assert columns == [("start", "INTEGER", 1), ("end", "INTEGER", 1), ("eventClass", "INTEGER", 1),
                           ("globalTid", "INTEGER", 0), ("nameId", "INTEGER", 1), *own]
        found = rows(linked, library)
        assert {row["eventClass"] for row in found} == {EVENT_CLASS[library]}
        assert all(0 <= row["start"] <= row["end"] <= end for row in found)
        assert {row["pid"] for row in found} <= linked.pids()
        assert linked.value("SELECT count(*) FROM ENUM_NSYS_EVENT_CLASS WHERE id = ?", EVENT_CLASS[library])


def test_threads(linked):
    by_thread = Counter(row["tid"] for row in rows(linked, "nccl"))
    assert sorted(by_thread.values()) == [9, 150, 150, 150, 150]
    names = {row["globalTid"] & 0xffffff for row in linked.query("SELECT globalTid FROM ThreadNames")}
    assert set(by_thread) <= names


def test_max_overhead_leaves_no_library_call_out(tmp_path):
    """Nor does it count them with the short OS-runtime calls."""
    report = run(tmp_path, LINKED, "threads", traces=f"{ALL},osrt", options=["--max-overhead=0.1%"])
    answers(report)
    assert "PROF_SHORT_CALLS" not in report.tables() or not report.query(
        "SELECT value FROM PROF_SHORT_CALLS JOIN StringIds ON id = nameId WHERE value GLOB 'cu*' OR value GLOB 'nccl*'")


def test_a_call_within_a_call(linked):
    """cuSOLVER calls cuBLAS and cuSPARSE through the dynamic linker."""
    outer = rows(linked, "cusolver")
    inner = [row for library in ("cublas", "cusparse") for row in rows(linked, library)
             if row["name"] in ("cublasCreate_v2", "cusparseCreate")]
    for row in outer:
        within = Counter(other["name"] for other in inner if other["tid"] == row["tid"]
                         and row["start"] <= other["start"] and other["end"] <= row["end"])
        assert within == {"cublasCreate_v2": 2, "cusparseCreate": 1}


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_by_itself(tmp_path, library):
    report = run(tmp_path, LINKED, traces=library)
    answers(report, [library])
    assert "OSRT_API" not in report.tables()


@pytest.mark.parametrize("spelling", ["cublas", "cusolver", "cusparse"])
def test_verbose_is_the_same(tmp_path, spelling):
    report = run(tmp_path, LINKED, traces=spelling + "-verbose")
    answers(report, [spelling])


def test_libraries_in_no_global_scope(tmp_path):
    answers(run(tmp_path, DLOPENED, "plugin.so"))


@pytest.mark.parametrize("order", [("old_plugin.so", "plugin.so"), ("plugin.so", "old_plugin.so")])
def test_two_versions_in_one_process(tmp_path, order):
    """Each plugin gets the functions of the version that it is linked to."""
    report = run(tmp_path, DLOPENED, *order)
    expected = report.expected()["cublas"]
    expected["cublasGetStatusName"] += 1
    assert calls(report, "cublas") == expected


@preloads_into_prof
def test_another_version_in_the_global_scope(tmp_path):
    """The linker skips it, because its symbols have another version."""
    environment = {**os.environ, "LD_PRELOAD": str(FAKES / "libcublas.so.13")}
    subprocess.run([DLOPENED, "old_plugin.so"], check=True, env=environment)
    report = run(tmp_path, DLOPENED, "old_plugin.so", env=environment)
    assert calls(report, "cublas") == {"cublasGetStatusName": 1}


def looked_up(tmp_path, *libraries, traces="cublas"):
    """Opens libraries and looks functions up in them; what they return is the same without prof."""
    plain = subprocess.run([FAKES / "looked_up", *libraries], stdout=subprocess.PIPE, text=True, check=True)
    report = run(tmp_path, FAKES / "looked_up", *libraries, traces=traces)
    assert report.done.stdout == plain.stdout
    return report


@needs_cuda
def test_functions_that_a_program_looks_up(tmp_path):
    """One more call comes from a library with a function of the same name."""
    assert calls(looked_up(tmp_path, "libcublas.so.13"), "cublas") == {"cublasGetStatusName": 1, "cublasCreate_v2": 2}
    assert not calls(looked_up(tmp_path, "libcublas.so.13", traces="cudnn"), "cublas")


@needs_cuda
def test_functions_of_two_versions_are_not_mixed_up(tmp_path):
    """A function that a program has looked up does not say of which version it is. So they are not traced."""
    assert calls(looked_up(tmp_path, "libcublas.so.12", "libcublas.so.13"), "cublas") == {"cublasCreate_v2": 2}


@needs_cuda
def test_python_looks_functions_up(tmp_path):
    script = (f"import ctypes\nblas = ctypes.CDLL({str(FAKES / 'libcublas.so.13')!r})\n"
              "assert blas.cublasCreate_v2(ctypes.byref(ctypes.c_void_p())) == 0\n")
    assert calls(run(tmp_path, sys.executable, "-c", script, traces="cublas"), "cublas") == {"cublasCreate_v2": 1}


def test_python_and_capture_ranges(tmp_path):
    """In a Python extension. With a capture range, calls outside of it still reach the library."""
    pytest.importorskip("nvtx")
    script = ("import ctypes, nvtx\n"
              f"run = ctypes.CDLL({str(FAKES / 'plugin.so')!r}).run\n"
              "assert run() == 0\n"
              "with nvtx.annotate('captured'): assert run() == 0\n"
              "assert run() == 0\n")
    report = run(tmp_path, sys.executable, "-c", script)
    assert {name: 3 * count for name, count in report.expected()["cublas"].items()} == calls(report, "cublas")
    ranged = run(tmp_path, sys.executable, "-c", script, traces=ALL + ",nvtx",
                 options=("-c", "nvtx", "-p", "captured", "--capture-range-end=stop"))
    answers(ranged)


@pytest.mark.parametrize("way", ["fork", "exec", "emptyexec"])
def test_children(tmp_path, way):
    report = run(tmp_path, LINKED, way)
    answers(report)
    assert len({row["pid"] for row in rows(report, "cudnn")}) == (2 if way == "fork" else 1)


def test_children_are_left_alone_if_asked(tmp_path):
    report = run(tmp_path, LINKED, "emptyexec", options=("--env-policy=respect",))
    assert {name: count // 2 for name, count in report.expected()["nccl"].items()} == calls(report, "nccl")


def preloaded(tmp_path, traces, **environment):
    done = prof("profile", "-t", traces, "-f", "true", "-o", tmp_path / "r.db", "sh", "-c", "echo $LD_PRELOAD",
                env={**os.environ, **environment})
    return [os.path.basename(path) for path in done.stdout.strip().split(":")]


def test_what_is_not_traced_is_not_touched(tmp_path):
    assert preloaded(tmp_path, "osrt,nvtx,cuda") == ["libprof_inject.so"]
    assert preloaded(tmp_path, "nccl,cublas") == ["libprof_inject.so", "libprof_cublas.so", "libprof_nccl.so"]
    report = run(tmp_path, LINKED, traces="osrt")
    assert report.expected()["wrong"] == 0
    assert not {f"{library.upper()}_EVENTS" for library in LIBRARIES} & report.tables()


@preloads_into_prof
def test_other_preloads_come_after_ours(tmp_path):
    other = str(FAKES / "libcusparse.so.12")
    assert preloaded(tmp_path, "cudnn", LD_PRELOAD=other) == [
        "libprof_inject.so", "libprof_cudnn.so", "libcusparse.so.12"]
    answers(run(tmp_path, LINKED, env={**os.environ, "LD_PRELOAD": other}))


def test_osrt_nesting_is_that_of_osrt(tmp_path):
    """A library call is not an OS-runtime call, so the calls that it makes are not nested in one."""
    report = run(tmp_path, LINKED, "fork", traces=ALL + ",osrt", options=("--osrt-threshold=0",))
    answers(report)
    assert report.value("SELECT max(nestingLevel) FROM OSRT_API WHERE nameId = (SELECT id FROM StringIds "
                        "WHERE value = 'fork')") == 0


def test_functions_that_do_not_exist(tmp_path):
    report = run(tmp_path, DLOPENED, "missing.so")
    assert report.done.stdout == "1 1001 1 1 2 the library is not loaded 0 77 1\n"
    reported = [text for text in report.diagnostics() if "that no loaded library defines" in text]
    assert reported == ["A function of cublas was called that no loaded library defines."]
    assert not [library for library in LIBRARIES if rows(report, library)]


@preloads_into_prof
@pytest.mark.parametrize("traces", ["cublas", "nccl"])
def test_calls_that_unwind_the_stack(tmp_path, traces):
    """Calls that end by exceptions, the end of the thread and cancellation; recorded and, with nccl, not
    recorded."""
    environment = {**os.environ, "LD_PRELOAD": f"{BUILD}/bin/libprof_cublas.so"}
    report = run(tmp_path, FAKES / "unwinding", traces=traces, env=environment)
    assert report.done.stdout == "21 2 0\n"
    assert calls(report, "cublas") == ({"cublasCreate_v2": 1} if traces == "cublas" else {})


@pytest.mark.parametrize("way", ["", "threads", "fork", "exec"])
def test_traced_and_untraced_runs_print_the_same(tmp_path, way):
    plain = subprocess.run([LINKED, way], stdout=subprocess.PIPE, text=True, check=True)
    assert run(tmp_path, LINKED, way).done.stdout == plain.stdout


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_a_session_they_do_nothing(library):
    """LD_PRELOAD without a session: with and without libprof_inject.so."""
    plain = subprocess.run([LINKED], stdout=subprocess.PIPE, text=True, check=True)
    tracer = f"{BUILD}/bin/libprof_{library}.so"
    for preload in (tracer, f"{BUILD}/bin/libprof_inject.so:{tracer}"):
        done = subprocess.run([LINKED], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "LD_PRELOAD": preload})
        assert done.stdout == plain.stdout


def test_names_of_traces(tmp_path):
    for name, status, words in (("cublass", 2, "did you mean cublas"), ("dx12", 0, "--trace=dx12: not recorded"),
                                ("nccl-verbose", 0, "--trace=nccl-verbose: not recorded")):
        done = prof("profile", "-t", name, "-f", "true", "-o", tmp_path / "r.db", "true")
        assert done.returncode == status and words in done.stderr, done.stderr
    status = json.loads(prof("status", "--json").stdout)
    for library in LIBRARIES:
        assert status[library]["available"] and f"libprof_{library}.so" in status[library]["detail"]


def test_a_missing_tracer_is_named(tmp_path):
    place = tmp_path / "place"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL, check=True)
    for library in LIBRARIES:
        assert (place / "lib" / "prof" / f"libprof_{library}.so").exists()
    (place / "lib" / "prof" / "libprof_cudnn.so").unlink()
    command = [place / "bin" / "prof", "profile", "-f", "true", "-o", tmp_path / "r.db", "-t"]
    assert subprocess.run([*command, "cublas", LINKED], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0
    done = subprocess.run([*command, "cudnn", LINKED], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "libprof_cudnn.so is missing" in done.stderr
