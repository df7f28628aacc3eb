"""Native call chains of calls that last longer than the threshold."""
import subprocess
import sys
from collections import defaultdict

import pytest
from cuda_app import needs_cuda, run
from profiling import PROGRAMS, is_in_libc, prof, profile, program

PLUGIN = PROGRAMS / "opened" / "liblong_calls_plugin.so"
ON = "--osrt-backtrace-depth=24"
LONG = (ON, "--osrt-backtrace-threshold=10000000",)
MAIN = "main"
THREAD = "start_thread"
BROKEN = "[Broken backtraces]"
MAX_DEPTH = "[Max depth]"


def chains(report, table="OSRT_CALLCHAINS"):
    """Functions of each chain, innermost first."""
    found = defaultdict(list)
    if table not in report.tables():
        return found
    for row in report.query(f"""SELECT c.*, s.value AS function FROM {table} c
                                JOIN StringIds s ON s.id = c.symbol ORDER BY c.id, c.stackDepth"""):
        assert row["stackDepth"] == len(found[row["id"]])
        found[row["id"]].append(THREAD if is_in_libc(row["function"]) else row["function"])
    return found


def calls(report):
    """[function, its call chain] of each call that has one, in order."""
    found = chains(report)
    return [(row["name"], found[row["callchainId"]]) for row in report.query(
        """SELECT s.value AS name, callchainId FROM OSRT_API JOIN StringIds s ON s.id = nameId
           WHERE callchainId <> 0 ORDER BY start""")]


def until(chain, last):
    """The call chain up to a function, or all of it if the function is missing."""
    return chain[:chain.index(last) + 1] if last in chain else chain


EXPECTED = [
    ("usleep", ["sleep_inner", "sleep_middle", "sleep_outer", MAIN]),
    ("usleep", ["framed_inner", "framed_outer", MAIN]),
    ("pthread_mutex_lock", ["wait_for_lock", "lock_thread", THREAD]),
    ("pthread_cond_timedwait", ["wait_for_condition", "condition_thread", THREAD]),
    ("read", ["wait_for_pipe", "pipe_thread", THREAD]),
    ("usleep", ["top_thread", THREAD]),
    ("usleep", ["called_back", "plugin_inner", "plugin_enter", "call_plugin", MAIN]),
]


@pytest.mark.parametrize("name", ["long_calls", "long_calls_framed"])
def test_chains_lead_to_main_or_to_the_threads_start(tmp_path, name):
    report = profile(tmp_path, program(name), PLUGIN, options=LONG)
    found = calls(report)
    for call, chain in EXPECTED:
        assert [chain for seen, whole in found
                if seen == call and until(whole, chain[-1]) == chain], (call, chain, found)
    assert not [chain for _, chain in found if any("take_stack" in each or "record_call" in each
                                                   for each in chain)]
    rows = report.query("""SELECT DISTINCT m.value FROM OSRT_CALLCHAINS c
                           JOIN StringIds m ON m.id = c.module""")
    assert not [row for row in rows if "libprof_" in row[0]]


def test_handlers_and_other_stacks(tmp_path):
    found = [chain for call, chain in calls(profile(tmp_path, program("long_calls"), PLUGIN,
                                                    options=LONG)) if call == "usleep"]
    same_stack, other_stack = [chain for chain in found if chain[0] == "handler"]
    assert same_stack[-1] != BROKEN and MAIN in same_stack and "interrupted" in same_stack
    # As far as the copied stack goes: the handler's own stack.
    assert other_stack[-1] == BROKEN and len(other_stack) > 2
    assert other_stack[:-1] == same_stack[:len(other_stack) - 1]
    coroutine, = [chain for chain in found if chain[0] == "in_coroutine"]
    assert coroutine[1] == "coroutine"


def test_depth_and_size(tmp_path):
    def deep(*options):
        report = profile(tmp_path, program("long_calls"), PLUGIN, options=(LONG[1], *(options or (ON,))))
        chain, = [chain for _, chain in calls(report) if chain[0] == "deep"]
        return chain
    assert deep() == 24 * ["deep"] + [MAX_DEPTH]
    assert deep("--osrt-backtrace-depth=5") == 5 * ["deep"] + [MAX_DEPTH]
    whole = deep("--osrt-backtrace-depth=500", "--osrt-backtrace-stack-size=32768")
    assert whole[:102] == 101 * ["deep"] + [MAIN]
    short = deep("--osrt-backtrace-depth=500", "--osrt-backtrace-stack-size=1024")
    assert short[0] == "deep" and short[-1] == BROKEN and len(short) < 102


def test_threshold_and_none(tmp_path):
    report = profile(tmp_path, program("long_calls"), PLUGIN,
                     options=(ON, "--osrt-backtrace-threshold=1000000000000"))
    assert "OSRT_CALLCHAINS" not in report.tables()
    for options in ((), ("-s", "process-tree", "--osrt-backtrace-depth=0")):
        report = profile(tmp_path, program("long_calls"), PLUGIN, options=options)
        assert "OSRT_CALLCHAINS" not in report.tables()
    report = profile(tmp_path, program("long_calls"), PLUGIN, options=("-s", "process-tree"))
    assert not report.value("SELECT count(*) FROM OSRT_API WHERE callchainId <> 0 "
                            "AND end - start < 79000")
    assert report.value("SELECT count(*) FROM OSRT_API WHERE callchainId = 0 "
                        "AND end - start > 81000") == 0


@pytest.mark.parametrize("name", ["tight_stacks", "coroutines", "longjmp_out_of_handler",
                                  "cancel_in_read", "key_dtor_events", "raw_clone", "fork_no_exec",
                                  "fork_from_thread", "vfork_exec", "seccomp_strict", "sandboxes"])
def test_nothing_changes_for_the_program(tmp_path, name):
    alone = subprocess.run([program(name)], capture_output=True, text=True, check=False, timeout=60)
    done = prof("profile", "-t", "osrt", "-f", "true", "-o", tmp_path / "r.db",
                "--osrt-threshold=0", "--osrt-backtrace-threshold=0", ON,
                "--osrt-backtrace-stack-size=32768", "--", program(name))
    assert done.returncode == (alone.returncode if alone.returncode >= 0 else 128 - alone.returncode)


def test_short_processes(tmp_path):
    """The stack copies are unwound after the processes have ended."""
    report = profile(tmp_path, "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep 0.001; done",
                     options=(ON,))
    sleeps = [chain for call, chain in calls(report) if call in ("nanosleep", "clock_nanosleep")]
    assert len(sleeps) == 8
    # Symbols of stripped programs are not known, but the caller of main is.
    assert all(chain[-1] not in (BROKEN, MAX_DEPTH) for chain in sleeps), sleeps


def test_merged_with_pythons(tmp_path):
    script = tmp_path / "waits.py"
    script.write_text("import time\n"
                      "def inner(): time.sleep(0.02)\n"
                      "def key(x): inner()\n"
                      "def outer(): sorted([1], key=key)\n"
                      "def main(): outer()\n"
                      "main()\n")
    report = profile(tmp_path, sys.executable, script,
                     options=("--python-backtrace=osrt", "--osrt-backtrace-depth=100",
                              "--osrt-backtrace-stack-size=32768",
                              "--osrt-backtrace-threshold=15000000"))
    chain, = [chain for _, chain in calls(report) if "inner" in chain]
    functions = [each for each in chain
                 if each in ("inner", "key", "outer", "main", "<module>", "list_sort", "builtin_sorted",
                             "time_sleep")]
    with_symbols = "time_sleep" in chain
    assert [each for each in functions if each in ("inner", "key", "outer", "main", "<module>")][:5] \
        == ["inner", "key", "outer", "main", "<module>"]
    assert not [each for each in chain if each.startswith("_PyEval_EvalFrameDefault")]
    if with_symbols:
        assert functions.index("time_sleep") < functions.index("inner")
        assert functions.index("key") < functions.index("builtin_sorted") < functions.index("outer")


@needs_cuda
def test_cuda_calls(tmp_path):
    report = run(tmp_path, "work", options=("--cudabacktrace=all:0",), traces="cuda")
    found = chains(report, "CUDA_CALLCHAINS")
    rows = report.query("SELECT callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME")
    assert rows and all(row["callchainId"] for row in rows)
    assert all("main" in found[row["callchainId"]] or THREAD in found[row["callchainId"]]
               for row in rows)
    modules = report.query("""SELECT DISTINCT m.value AS module FROM CUDA_CALLCHAINS c
                              JOIN StringIds m ON m.id = c.module WHERE stackDepth = 0""")
    assert not [row for row in modules if "libcupti" in row["module"] or "libprof" in row["module"]]


@needs_cuda
def test_kinds_of_cuda_calls(tmp_path):
    def kinds(option):
        report = run(tmp_path, "work", options=(option,), traces="cuda")
        with_chain = lambda what: {row["name"] for row in report.query(
            f"""SELECT DISTINCT s.value AS name FROM CUPTI_ACTIVITY_KIND_RUNTIME
                JOIN StringIds s ON s.id = nameId WHERE callchainId IS {what} NULL""")}
        return with_chain("NOT"), with_chain("")
    with_chain, without = kinds("--cudabacktrace=kernel:0")
    assert with_chain and all("Launch" in name for name in with_chain)
    assert without and not [name for name in without if "LaunchKernel" in name]
    with_chain, _ = kinds("--cudabacktrace=sync:0")
    assert with_chain and all("Synchronize" in name or "Wait" in name for name in with_chain)
    with_chain, _ = kinds("--cudabacktrace=none")
    assert not with_chain


@pytest.mark.parametrize("wrong", ["sometimes", "none,all", "kernel:x"])
def test_wrong_lists_are_refused(wrong):
    done = prof("profile", f"--cudabacktrace={wrong}", "true")
    assert done.returncode != 0 and "cudabacktrace" in done.stderr
