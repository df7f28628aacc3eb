"""Every way to make a process: each process has its row, calls and threads, and notices nothing."""
import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from difficult_runs import works
from profiling import PROF, Report, prof, profile, program, source_of

EVERYTHING = ["--osrt-threshold", "0"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def needs(*tools):
    return pytest.mark.skipif(any(shutil.which(tool) is None for tool in tools),
                              reason=f"needs {', '.join(tools)}")


def thread_ids(report):
    """(pid, tid) of all threads with calls."""
    return {(row["pid"], row["tid"]) for row in report.query(
        "SELECT DISTINCT globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid FROM OSRT_API")}


def names(report):
    return {row["pid"]: os.path.basename(row["name"])
            for row in report.query("SELECT pid, name FROM PROCESSES")}


# The child is a separate process, or it records as its parent's thread because it has its memory.
OWN = ["fork", "_Fork", "clone3", "clone", "clone_files", "clone_vfork"]
GUEST = ["vfork", "clone_vm_vfork"]
SPAWNED = ["spawn", "spawnp"]
SILENT = ["silent", "silent_exit"]


@pytest.mark.parametrize("way", OWN + GUEST + SPAWNED + SILENT + ["threads"])
def test_a_child(tmp_path, way):
    report = profile(tmp_path, program("process_ways"), way, options=EVERYTHING)
    expected = report.expected()
    parent, child = expected["parent"], expected["child"]
    assert expected["status"] == (0 if way in SPAWNED else 9)
    pids = {parent} if way in GUEST else {parent, child}
    assert names(report) == {
        pid: "dd" if pid == child and way in SPAWNED else "process_ways" for pid in pids}
    writes = {parent: 7, child: 200 if way == "threads" else 0 if way in SILENT else 25}
    if way in GUEST:
        writes = {parent: 32}
    assert {pid: report.calls(pid)["write"] for pid in writes} == writes
    if way != "threads":
        assert all(pid == tid for pid, tid in thread_ids(report))
    else:
        assert len([pid for pid, tid in thread_ids(report) if pid == child and tid != pid]) == 8


@pytest.mark.parametrize("way", ["clone_vm", "clone_vm_exec"])
def test_a_child_beside_its_parent_in_the_same_memory(tmp_path, way):
    """Two tasks share one thread state, so neither can be recorded. Both must survive, and then the parent goes
    on."""
    done = prof("profile", "-t", "osrt", *EVERYTHING, "-o", tmp_path / "r.db", "--", program("process_ways"), way)
    execs = way == "clone_vm_exec"
    report = Report(tmp_path / "r.db", done)
    expected = report.expected()
    assert done.returncode == 0 and expected["status"] == (0 if execs else 9)
    texts = report.diagnostics()
    assert any("CLONE_VM" in text for text in texts)
    assert not any("amaged" in text for text in texts)
    writes = report.calls(expected["parent"])["write"]
    if execs:
        assert writes == 7 and report.calls(expected["child"])["write"] == 25
    else:  # parent and child wrote at the same time, and the child may have ended earlier
        assert 7 <= writes <= 20000 + 7
        assert any("shares its state" in text for text in texts)  # the reason for missing calls


@pytest.mark.parametrize("way", ["daemon", "range", "close_range"])
def test_daemons(tmp_path, way):
    plain, traced = tmp_path / "plain.json", tmp_path / "traced.json"
    subprocess.run([program("daemon_ways"), way, plain], check=True)
    report = profile(tmp_path, program("daemon_ways"), way, traced, options=EVERYTHING)
    while not plain.exists() or not plain.read_text():
        time.sleep(0.05)
    before, after = json.loads(plain.read_text()), json.loads(traced.read_text())
    for what in ("parent", "null", "left_open"):  # parent of the orphan, and its descriptors
        assert after[what] == before[what]
    pids = report.pids()
    assert {after["started"], after["daemon"]} <= pids and len(pids) == (2 if way == "daemon" else 3)
    assert set(names(report).values()) == {"daemon_ways"}
    assert report.calls(after["daemon"])["write"] == 40
    assert report.calls(after["daemon"])["usleep"] == 1


@pytest.mark.parametrize("way", ["same", "null", "empty", "unset", "thread"])
def test_a_chain_of_execs(tmp_path, way):
    """Through /proc/self/exe, with any environment, and from a thread too."""
    report = profile(tmp_path, program("exec_chain"), way, 5, options=EVERYTHING, status=6)
    pid = report.expected()["pid"]
    assert names(report) == {pid: "exec_chain"}
    assert report.calls()["write"] == 60 and thread_ids(report) == {(pid, pid)}


def sent(report, pid):
    calls = report.calls(pid)
    return calls["sendfile"] + calls["sendfile64"]


@needs("unshare")
@pytest.mark.skipif(subprocess.run(["unshare", "-pf", "true"], check=False).returncode != 0,
                    reason="needs leave to make pid namespaces")
def test_a_pid_namespace(tmp_path):
    report = profile(tmp_path, "unshare", "-pf", program("process_ways"), "fork", options=EVERYTHING)
    expected = report.expected()
    assert (expected["parent"], expected["child"], expected["status"]) == (1, 2, 9)
    assert sorted(names(report).values()) == ["process_ways", "process_ways", "unshare"]
    writes = sorted(report.calls(pid)["write"] for pid in report.pids())
    assert writes == [0, 7, 25]  # with the pids outside the namespace: 1 and 2 are other processes there
    assert all(pid == tid and pid > 2 for pid, tid in thread_ids(report))


def same_pid(count):
    """A program that runs others one after the other, all with the same process id."""
    return ["unshare", "-pf", "--mount-proc", sys.executable, "-c", f"""
import os, subprocess
for i in range({count}):
    with open("/proc/sys/kernel/ns_last_pid", "w") as file: file.write("499")
    print(subprocess.Popen(["/bin/sh", "-c", "sleep 0.05; exec sleep 0.5"]).wait(), flush=True)
"""]


@as_root
@needs("unshare")
@pytest.mark.skipif(not works("unshare", "-pf", "--mount-proc", "true"), reason="the root directory is not a mount point")
def test_process_ids_that_are_used_again(tmp_path):
    """prof is in the namespace, so it sees the same pid each time. An exec makes no other process."""
    words = same_pid(5)
    inside = [*words[:3], str(PROF), "profile", "-t", "osrt", *EVERYTHING, "-s", "none", "-o", str(tmp_path / "r.db"), "--",
              *words[3:]]
    done = subprocess.run(inside, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0\n" * 5), done.stderr
    report = Report(tmp_path / "r.db")
    rows = report.query("SELECT globalPid, name FROM PROCESSES WHERE pid = 500")
    assert [os.path.basename(row["name"]) for row in rows] == ["sleep"] * 5
    assert len({row["globalPid"] for row in rows}) == 5 and all(row["globalPid"] >> 24 & 0xffffff == 500 for row in rows)
    calls = report.query("SELECT globalTid >> 24 AS process FROM OSRT_API JOIN StringIds s ON s.id = nameId "
                         "WHERE s.value LIKE '%nanosleep' AND globalTid >> 24 & 0xffffff = 500")
    assert sorted(row["process"] for row in calls) == sorted(row["globalPid"] >> 24 for row in rows)


def test_python_makes_processes(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("py_processes.py"), options=EVERYTHING)
    expected = report.expected()
    known = names(report)
    for way, children in expected["children"].items():
        for pid in children:
            assert pid in known, way
            assert known[pid].startswith("python"), way
            assert sent(report, pid) == 3, way
    assert sent(report, expected["parent"]) == 0


def dd(count):
    return f"dd if=/dev/zero of=/dev/null bs=1 count={count} status=none"


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_shells(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = (f"echo abc | cat | cat; {dd(11)} & {dd(12)} & wait; ({dd(13)}); x=$({dd(14)}; echo hi); "
              f"printf '15 16 17' | xargs -n 1 -P 3 sh -c "
              f"'dd if=/dev/zero of=/dev/null bs=1 count=$0 status=none'; exec {dd(18)}")
    report = profile(tmp_path, shell, "-c", script, options=EVERYTHING)
    assert report.done.stdout == "abc\n"
    found = names(report)
    assert sorted(report.calls(pid)["write"] for pid, name in found.items() if name == "dd") == [
        11, 12, 13, 14, 15, 16, 17, 18]
    assert list(found.values()).count("cat") == 2 and "xargs" in found.values()


@needs("make")
def test_make(tmp_path):
    rules = "".join(f"t{i}:\n\t@{dd(20 + i)}\n" for i in range(6))
    (tmp_path / "Makefile").write_text("all: t0 t1 t2 t3 t4 t5\n\t@exit 3\n" + rules)
    command = ["make", "-s", "-j", "3", "-C", str(tmp_path)]
    plain = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    report = profile(tmp_path, *command, options=EVERYTHING, status=plain.returncode)
    assert report.done.stdout == plain.stdout
    assert sorted(report.calls(pid)["write"] for pid, name in names(report).items()
                  if name == "dd") == [20, 21, 22, 23, 24, 25]


@needs("env", "setsid", "nohup")
def test_tools_between(tmp_path):
    script = f"env -u LD_PRELOAD {dd(31)}; env -i {dd(32)}; nohup setsid -w {dd(33)}"
    report = profile(tmp_path, "sh", "-c", script, options=EVERYTHING)
    assert sorted(report.calls(pid)["write"] for pid, name in names(report).items()
                  if name == "dd") == [31, 32, 33]


OTHER_USER = {
    "setpriv": ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c"],
    "runuser": ["runuser", "-u", "nobody", "--", "sh", "-c"],
    "su": ["su", "-s", "/bin/sh", "nobody", "-c"]}


@as_root
@pytest.mark.parametrize("tool", OTHER_USER)
def test_another_user_runs_unharmed_and_is_reported(tmp_path, tool):
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    command = [*OTHER_USER[tool], "id -u; env | cut -d= -f1 | sort; exit 3"]
    plain = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           check=False)
    report = profile(tmp_path, *command, status=3)
    assert report.done.stdout == plain.stdout  # its environment has no variables of prof either
    assert set(names(report).values()) == {tool}
    assert any("user" in text for text in report.diagnostics())
    assert "user" in report.done.stderr


def test_orphans_are_recorded_and_have_the_parent_they_would_have(tmp_path):
    orphan = "import os, time\ntime.sleep(0.4)\nprint(os.getppid(), flush=True)\n"
    script = f"{sys.executable} -S -c '{orphan}' & exit 4"
    plain = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, text=True, check=False)
    report = profile(tmp_path, "sh", "-c", script, options=EVERYTHING, status=4)
    assert report.done.stdout == plain.stdout
    assert report.calls()["clock_nanosleep"] == 1


def test_trace_fork_before_exec(tmp_path):
    options = [*EVERYTHING, "--trace-fork-before-exec=false"]
    report = profile(tmp_path, program("process_ways"), "fork", options=options)
    assert report.expected()["status"] == 9
    assert report.pids() == {report.expected()["parent"]}
    assert report.calls()["write"] == 7
    # A program that an untraced child execs is traced, also with another environment.
    report = profile(tmp_path, "sh", "-c", f"({dd(8)}); (true; exec env -i {dd(9)}); true",
                     options=options)
    assert sorted(report.calls(pid)["write"] for pid, name in names(report).items()
                  if name == "dd") == [8, 9]
    assert not [text for text in report.diagnostics() if "could not reach" in text]


def test_what_goes_on_after_the_session_is_unharmed(tmp_path):
    """--wait=primary: writing, forking and starting programs long after prof has ended."""
    out = tmp_path / "out"
    later = (f"sleep 0.2; for i in 1 2 3 4 5; do /bin/echo $i; (echo in $i); done > {out}; "
             f"sleep 0.6; {dd(2000)}; bash -c 'env | cut -d= -f1' >> {out}; echo end >> {out}")
    started = time.monotonic()
    report = profile(tmp_path, "bash", "-c", f"({later}) > /dev/null 2>&1 & echo $!; sleep 0.5; exit 5",
                     status=5, options=[*EVERYTHING, "--wait=primary"])
    assert time.monotonic() - started < 20
    child = int(report.done.stdout)
    assert child in report.pids() and report.calls(child)["fork"] >= 3  # its calls until prof ended
    size = report.path.stat().st_size
    while os.path.exists(f"/proc/{child}"):
        time.sleep(0.05)
    lines = out.read_text().splitlines()
    assert lines[:10] == [text for i in range(1, 6) for text in (f"{i}", f"in {i}")]
    assert lines[-1] == "end" and report.path.stat().st_size == size
    # After it notices that the session is over, it starts programs without prof's library.
    assert "LD_PRELOAD" not in lines and "PROF_SESSION" not in lines


CAPTURE = ["-c", "nvtx", "-p", "one of a thousand", "--capture-range-end=stop-shutdown"]


@pytest.mark.parametrize("spelling, number", [
    ("sigterm", 15), ("SIGUSR1", 10), ("int", 2), ("9", 9), ("sigkill", 9)])
def test_kill_takes_any_signal(tmp_path, spelling, number):
    done = prof("profile", "-t", "nvtx", "-o", tmp_path / "r.db", *CAPTURE, "-k", spelling, "--",
                program("thousand_then"), "stop")
    assert done.returncode == 0, (done.stderr, number)  # it ends with the range, as requested
    assert Report(tmp_path / "r.db").tables()


def test_kill_without_such_a_signal(tmp_path):
    done = prof("profile", "-k", "sigfoo", "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2 and "--kill" in done.stderr and "sigfoo" in done.stderr
