"""What prof records if no option says what: samples, switches and call chains, without a word and without
touching the program."""
import errno
import json
import os
import shutil
import subprocess
import sys

import cuda_app
import pytest
from profiling import PROF, PROGRAMS, Report, prof, program

STATUS = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)
needs_perf = pytest.mark.skipif(not STATUS["sampling"]["detail"].startswith("by the kernel"),
                                reason=STATUS["sampling"]["detail"])
PLUGIN = PROGRAMS / "opened" / "liblong_calls_plugin.so"
BUSY = ("import sys, time\n"
        "def burn():\n"
        "    end = time.thread_time() + 0.4\n"
        "    while time.thread_time() < end: pass\n"
        "burn()")


def by_default(tmp_path, *command, options=(), launcher=(), status=0):
    """The report of a run with these options alone."""
    path = tmp_path / "report.db"
    path.unlink(missing_ok=True)
    done = subprocess.run([*map(str, launcher), str(PROF), "profile", "-o", str(path), *options, "--", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == status, done.stderr
    return Report(path, done)


def says_nothing(report):
    """Only where the report is."""
    return [line for line in report.done.stderr.splitlines() if line] == ["Generated:", f"\t{report.path}"]


def functions_of(report, table):
    """{id: [function, ...]}, innermost first."""
    found = {}
    for row in report.query(f"SELECT c.id, s.value AS symbol FROM {table} c JOIN StringIds s ON s.id = c.symbol "
                            "ORDER BY c.id, c.stackDepth"):
        found.setdefault(row["id"], []).append(row["symbol"])
    return found


def python_functions(report):
    if "PROF_PYTHON_SAMPLES" not in report.tables():
        return set()
    return {row["Function"] for row in report.statistics("python_sample_sum")}


# --- where the kernel allows it

@needs_perf
@pytest.mark.parametrize("options", [(), ("-t", "osrt"), ("-t", "none")])
def test_samples_and_switches(tmp_path, options):
    report = by_default(tmp_path, program("cpu_shares"), "deep", options=options)
    assert says_nothing(report)
    chains = functions_of(report, "SAMPLING_CALLCHAINS")
    assert any("work_half" in chain and "main" in chain for chain in chains.values())
    assert report.value("SELECT count(*) FROM SCHED_EVENTS") > 0
    assert "PROF_PYTHON_SAMPLES" not in report.tables()  # no Python, and not a word about it
    assert not [text for text in report.diagnostics() if "Python" in text]


@needs_perf
@pytest.mark.parametrize("options, tables", [
    (("-s", "none"), {"SCHED_EVENTS"}),  # as in nsys
    (("--cpuctxsw=none",), {"COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS"}),
    (("-s", "process-tree"), {"COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "SCHED_EVENTS"}),
    (("-s", "none", "--cpuctxsw=none"), set())])
def test_switching_off(tmp_path, options, tables):
    report = by_default(tmp_path, program("cpu_shares"), "deep", options=options)
    assert report.tables() & {"COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "SCHED_EVENTS"} == tables
    assert says_nothing(report)


@needs_perf
def test_long_calls_have_call_chains(tmp_path):
    report = by_default(tmp_path, program("long_calls"), PLUGIN, options=("-t", "osrt"))
    chains = functions_of(report, "OSRT_CALLCHAINS").values()
    assert any(chain[0] == "deep" for chain in chains) and any("main" in chain for chain in chains)
    off = by_default(tmp_path, program("long_calls"), PLUGIN, options=("-t", "osrt", "-s", "none"))
    assert "OSRT_CALLCHAINS" not in off.tables()


@needs_perf
def test_call_chains_of_processes_that_end_at_once(tmp_path):
    """Nobody reads their mappings: the kernel's records have them."""
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.001; done"
    report = by_default(tmp_path, "sh", "-c", script, options=("-t", "osrt"))
    sleeps = [row["id"] for row in report.query(
        "SELECT callchainId AS id FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId "
        "WHERE s.value LIKE '%nanosleep'")]
    chains = functions_of(report, "OSRT_CALLCHAINS")
    assert len(sleeps) == 8
    assert all(len(chains[each]) > 2 and "[Broken backtraces]" not in chains[each] for each in sleeps)


@needs_perf
@cuda_app.needs_cuda
def test_cuda_programs(tmp_path):
    report = cuda_app.run(tmp_path, "work")
    cuda_app.check_kernels(report)
    assert report.value("SELECT count(*) FROM SCHED_EVENTS s JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (globalTid)") > 0


@needs_perf
def test_nothing_is_kept_of_the_time_outside_of_capture_ranges(tmp_path):
    """A program can run for hours before its range."""
    def bytes_of_recording(*options):
        done = prof("profile", "-f", "true", "-o", tmp_path / "r.db", "-t", "nvtx", "--sampling-frequency=5000", *options,
                    "sh", "-c", f"{program('cpu_shares')} deep; stat -c %s '{tmp_path}/r.db.spool'")
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[-1])
    assert bytes_of_recording("-c", "nvtx", "-p", "never") < bytes_of_recording() / 2


# --- Python

@pytest.mark.parametrize("name", ["python3", "server"])
def test_python_is_found_by_its_interpreter(tmp_path, name):
    link = tmp_path / name
    link.symlink_to(sys.executable)
    report = by_default(tmp_path, "sh", "-c", f"'{link}' -c \"$0\"; true", BUSY, options=("-t", "none"))
    assert "burn" in python_functions(report)
    assert any(text.startswith("Python samples: ") for text in report.diagnostics())


def test_fork_children_of_python(tmp_path):
    script = BUSY + "\nimport os\nif os.fork() == 0:\n    burn()\n    os._exit(0)\nos.wait()"
    report = by_default(tmp_path, sys.executable, "-c", script)
    assert "burn" in python_functions(report)
    assert len(report.query("SELECT DISTINCT globalTid >> 24 FROM PROF_PYTHON_SAMPLES")) == 2


def test_another_program_in_the_place_of_python_is_not_sampled(tmp_path):
    """Also one that the same process executes, and one that gets the slot of a Python process that has ended."""
    script = BUSY + f"\nimport os\nos.execv({program('cpu_shares')!r}, ['cpu_shares', 'deep'])"
    report = by_default(tmp_path, "sh", "-c", f"'{sys.executable}' -c \"$0\"; '{program('cpu_shares')}' deep", script)
    assert "burn" in python_functions(report)
    last = report.value("SELECT max(start) FROM PROF_PYTHON_SAMPLES")
    assert last < report.value("SELECT duration FROM ANALYSIS_DETAILS") - 0.3e9


@pytest.mark.parametrize("option", ["--python-sampling=false", "--python-sampling=auto", "--python-sampling"])
def test_python_sampling_by_its_words(tmp_path, option):
    report = by_default(tmp_path, sys.executable, "-c", BUSY, options=("-t", "none", option))
    assert ("burn" in python_functions(report)) == (not option.endswith("false"))


@pytest.mark.skipif(shutil.which("setpriv") is None or os.geteuid() != 0, reason="needs to give up CAP_SYS_PTRACE")
def test_nothing_is_said_of_python_that_may_not_be_read(tmp_path):
    script = "import ctypes\nctypes.CDLL(None).prctl(4, 0)\n" + BUSY  # not dumpable
    launcher = ("setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace")
    report = by_default(tmp_path, "/usr/bin/python3", "-c", script, options=("-t", "none"), launcher=launcher)
    assert says_nothing(report)
    assert any("Python is not sampled" in text and "ptrace_scope" in text for text in report.diagnostics())


# --- where it is refused

REFUSED = [(number,) for number in (errno.EPERM, errno.EACCES, errno.ENOSYS)] + [("--copies", errno.EPERM)]


@pytest.mark.parametrize("refusal", REFUSED)
def test_refusals_are_in_the_report_only(tmp_path, refusal):
    report = by_default(tmp_path, program("cpu_shares"), "deep", launcher=(program("deny_perf"), *refusal))
    assert says_nothing(report)
    assert report.tables().isdisjoint({"COMPOSITE_EVENTS", "SCHED_EVENTS"})
    text, = [text for text in report.diagnostics() if text.startswith("CPU samples and context switches are not recorded: ")]
    assert "perf_event_open" in text or "administrator" in text
    assert "With --sample=process-tree, timers" in text
    assert text[:40] in " ".join(prof("info", report.path).stdout.split())
    if "--copies" in refusal:
        assert any("process_vm_readv is blocked" in text for text in report.diagnostics())


def test_no_timers_without_being_asked(tmp_path):
    """No handler, no timer: a program in a container is what it is without prof."""
    script = ("import re; status = open('/proc/self/status').read();"
              "print(int(re.search(r'SigCgt:\\s*(\\w+)', status)[1], 16) >> 33, len(open('/proc/self/timers').read()))")
    alone = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout
    report = by_default(tmp_path, sys.executable, "-c", script, launcher=(program("deny_perf"), errno.EPERM))
    assert report.done.stdout == alone


def test_what_is_asked_for_is_said(tmp_path):
    deny = (program("deny_perf"), errno.EPERM)
    switches = by_default(tmp_path, program("cpu_shares"), "deep", options=("--cpuctxsw=process-tree",), launcher=deny)
    assert "prof: Context switches are not recorded: " in switches.done.stderr
    assert "CPU samples" not in switches.done.stderr
    assert any(text.startswith("CPU samples are not recorded: ") for text in switches.diagnostics())
    samples = by_default(tmp_path, program("cpu_shares"), "deep", options=("-s", "process-tree"), launcher=deny)
    assert "CPU samples are taken by timers" in samples.done.stderr
    assert "Context switches" not in samples.done.stderr
    assert any(text.startswith("Context switches are not recorded: ") for text in samples.diagnostics())


def test_call_chains_of_calls_where_perf_is_refused(tmp_path):
    report = by_default(tmp_path, program("long_calls"), PLUGIN, options=("-t", "osrt"),
                        launcher=(program("deny_perf"), errno.EPERM))
    chains = functions_of(report, "OSRT_CALLCHAINS").values()
    assert any(chain[0] == "deep" for chain in chains) and any("main" in chain for chain in chains)


# --- the program

@pytest.mark.parametrize("is_refused", [False, True])
def test_programs_run_as_they_do_alone(tmp_path, is_refused):
    launcher = (program("deny_perf"), errno.EPERM) if is_refused else ()
    report = by_default(tmp_path, "sh", "-c", "echo out; echo err >&2; exit 7", launcher=launcher, status=7)
    assert report.done.stdout == "out\n" and report.done.stderr.startswith("err\n")
    by_default(tmp_path, program("first_dlerror"), launcher=launcher)
    by_default(tmp_path, "sh", "-c", "kill -TERM $$", launcher=launcher, status=143)


def test_fixed_behaviour(tmp_path):
    alone = subprocess.run([program("fixed_behaviour")], stdout=subprocess.PIPE, text=True, check=False)
    report = by_default(tmp_path, program("fixed_behaviour"), status=alone.returncode)
    assert report.done.stdout == alone.stdout
