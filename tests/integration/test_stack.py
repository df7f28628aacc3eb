"""prof stack: what every thread of running processes is doing."""
import contextlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from difficult_runs import NOBODY
from fake_nvml import machine
from profiling import PROF, program, prof, source_of

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="has to change the user")


@contextlib.contextmanager
def running(*command, lines=1, **options):
    """A process, and the first lines that it prints. It is killed in the end, with its child processes."""
    process = subprocess.Popen([str(each) for each in command], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True,
                               start_new_session=True, **options)
    try:
        yield process, [process.stdout.readline().strip() for _ in range(lines)]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stdin.close()


def stack(*arguments, **options):
    done = prof("stack", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def snapshot(*arguments, **options):
    return json.loads(stack("--json", *arguments, **options))


def until(condition, *arguments, **options):
    """The first output that fulfils the condition: a program needs a while to get where it hangs."""
    end = time.monotonic() + 60
    while True:
        seen = snapshot(*arguments, **options)
        if condition(seen):
            return seen
        assert time.monotonic() < end, json.dumps(seen, indent=1)[:4000]


def threads(seen):
    return {thread["tid"]: thread for process in seen["processes"] for thread in process["threads"]}


def functions(thread):
    return [frame["function"] for frame in thread["frames"]]


def has_cause(text):
    return lambda seen: any(text in line for line in seen["causes"])


def test_a_deadlock_is_named():
    with running(program("deadlock")) as (process, (line,)):
        known = json.loads(line)
        # The main thread may still be on its way from its line to its join.
        seen = until(lambda seen: has_cause("deadlock of 2 threads")(seen) and
                     threads(seen)[process.pid]["wait"].get("holder"), process.pid)
        forwards, backwards = (threads(seen)[known[name]] for name in ("forwards", "backwards"))
        assert forwards["wait"] == {"for": "lock", "address": known["second"], "holder": known["backwards"],
                                    "processes": [], "text": forwards["wait"]["text"]}
        assert backwards["wait"]["address"] == known["first"] and backwards["wait"]["holder"] == known["forwards"]
        assert threads(seen)[process.pid]["wait"]["holder"] == known["forwards"]
        inner, outer = (next(i for i, name in enumerate(functions(forwards)) if name and text in name)
                        for text in ("take_second", "::forwards()"))
        assert inner < outer and forwards["frames"][inner]["file"].endswith("deadlock.cpp")
        top = stack(process.pid).splitlines()[:10]
        assert top[0] == f"deadlock of 2 threads in process {process.pid} (deadlock):"
        assert (f"thread {known['forwards']} \"forwards\" waits for mutex (anonymous namespace)::g_second "
                f"({known['second']:#x}), "
                f"which thread {known['backwards']} \"backwards\" holds; it is in ") in top[1]
        assert "take_second() (deadlock.cpp:17)" in top[1] and "take_first() (deadlock.cpp:22)" in top[2]


def test_a_rank_that_hangs_is_named():
    with contextlib.ExitStack() as ranks:
        pids = [ranks.enter_context(running(program("ranks"), env={**os.environ, "RANK": str(rank)}))[0].pid
                for rank in range(8)]
        seen = until(lambda seen: all(thread["wait"]["text"] == "sleeps" for thread in threads(seen).values()), *pids)
        assert seen["causes"][0] == "7 of 8 ranks are in ncclAllReduce: 0-2, 4-7"
        assert re.fullmatch(r"rank 3 is in wait_forever\(\) \(ranks.c:\d+\), called by load_batch\(\) "
                            r"\(ranks.c:\d+\) and sleeps", seen["causes"][1])
        assert sorted(len(group) for group in seen["equal_chains"]) == [1, 7]
        assert {threads(seen)[pid]["call"] for pid in pids} == {"ncclAllReduce", None}
        # Names work as well. Other tests may run the same program.
        assert set(pids) <= {process["pid"] for process in snapshot("ranks")["processes"]}
        text = stack(*pids)
        assert "7 of 8 ranks" in text.splitlines()[0] and "ranks 0-2, 4-7, 7 threads: " in text


def test_a_loader_waits_for_its_worker():
    with running(sys.executable, source_of("loader.py"), lines=3) as (process, (worker, *_)):
        seen = until(has_cause("prepare_item"), process.pid)
        assert [each["pid"] for each in seen["processes"]] == [process.pid, int(worker)]
        main, child = threads(seen)[process.pid], threads(seen)[int(worker)]
        assert main["wait"]["for"] == "process" and main["wait"]["processes"] == [int(worker)]
        assert "next_batch" in functions(main) and "prepare_item" in functions(child)
        frame = next(frame for frame in child["frames"] if frame["function"] == "prepare_item")
        assert frame["kind"] == "python" and frame["line"] == 8 and frame["file"] == str(source_of("loader.py"))
        # Python's frames take the place of the interpreter's, between native ones.
        assert functions(child).index("prepare_item") > 0 and "_PyEval_EvalFrameDefault" not in functions(child)
        top = "\n".join(stack(process.pid).splitlines()[:10])
        assert "it is in next_batch() (loader.py:18)" in top and "is in prepare_item() (loader.py:8)" in top
        alone = snapshot("--no-children", process.pid)
        assert [each["pid"] for each in alone["processes"]] == [process.pid]


def test_the_holder_of_the_interpreter_lock():
    with running(sys.executable, source_of("holds_lock.py"), lines=2) as (process, (wants, holds)):
        seen = until(has_cause("is in hold() (holds_lock.py:13)"), process.pid)
        wait = threads(seen)[int(wants)]["wait"]
        assert wait["for"] == "lock" and wait["holder"] == int(holds)
        assert wait["text"].startswith("waits for Python's interpreter lock, which thread ")


# Versions whose locks prof can read.
PYTHONS = [path for path in sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
           if re.search(r"/3\.(9|1[0-3])\.", str(path))] or [sys.executable]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: str(python).split("/")[-3])
@pytest.mark.parametrize("kind, way", [("Lock", "with"), ("RLock", "with"), ("RLock", "acquire")])
def test_a_deadlock_of_python_locks_is_named(python, kind, way):
    """Python's threads have the names that Python gave them. Only an RLock records its holder."""
    with running(python, source_of("locked_python.py"), kind, way, lines=2) as (process, lines):
        ids = {name: int(thread) for name, thread in map(str.split, lines)}
        seen = until(has_cause("deadlock of 2 threads"), process.pid)
        assert len(seen["causes"]) == 3 and seen["causes"][0].startswith("deadlock of 2 threads in process ")
        for own, other in (("forwards", "backwards"), ("backwards", "forwards")):
            thread = threads(seen)[ids[own]]
            assert thread["name"] == own and thread["wait"]["holder"] == ids[other]
            assert thread["wait"].get("holder_is_probable", False) == (kind == "Lock")
            held = 'probably holds (it is inside of a "with" statement of this lock)' if kind == "Lock" else "holds"
            line = next(line for line in seen["causes"] if line.startswith(f'  thread {ids[own]} "{own}" '))
            assert re.search(rf'waits for Python lock 0x[0-9a-f]+, which thread {ids[other]} "{other}" '
                             rf"{re.escape(held)}; it is in hold_and_want\(\) \(locked_python.py:\d+\), "
                             rf"called by {own}\(\)", line), line


def tasks_of(seen):
    return {task["name"]: (task["awaits"], [frame["function"] for frame in task["frames"]])
            for process in seen["processes"] for thread in process["threads"] for task in thread["tasks"]}


@pytest.mark.parametrize("python", [path for path in PYTHONS if not re.search(r"/3\.(9|10)\.", str(path))],
                         ids=lambda python: str(python).split("/")[-3])
@pytest.mark.parametrize("way", ["idle", "busy"])
def test_tasks_of_asyncio(python, way):
    with running(python, source_of("asyncio_tasks.py"), way, lines=1) as (process, _):
        tasks = tasks_of(until(lambda seen: "waiter" in tasks_of(seen), process.pid))
        for i in range(3):
            assert tasks[f"consumer {i}"] == ("awaits a future", ["Queue.get", "next_order", "consume"])
        assert tasks["sleeper"] == ("awaits a future", ["sleep", "sleep_long"])
        assert tasks["waiter"] == ('awaits task "sleeper"', ["wait_for_task"])
        assert tasks["gatherer"] == ("awaits the tasks of a gather()", ["wait_for_all"])
        unnamed = [each for name, each in tasks.items() if re.fullmatch(r"Task-\d+", name)]
        assert sorted(frames[-1] for _, frames in unnamed) == ["main", "sleep_long", "sleep_long"], tasks
        if way == "busy":
            assert tasks["computer"] == ("runs, or can run", ["compute"])
        text = prof("stack", process.pid).stdout
        assert f'  {10 if way == "busy" else 9} tasks of asyncio\n' in text, text
        assert '"consumer 0", "consumer 1", "consumer 2": awaits a future in Queue.get() (queues.py:' in text, text
        assert re.search(r"called by next_order\(\) \(asyncio_tasks.py:8\), called by consume\(\)", text), text


def test_a_python_lock_without_a_sign_of_its_holder():
    """No thread is named. But no thread that runs Python can release the locks."""
    with running(sys.executable, source_of("locked_python.py"), "Lock", "acquire", lines=2) as (process, lines):
        seen = until(has_cause("deadlock of 2 threads"), process.pid)
        assert seen["causes"][0].endswith("no thread that runs Python can release a lock:")
        for line in lines:
            assert threads(seen)[int(line.split()[1])]["wait"]["holder"] is None


@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: str(python).split("/")[-3])
def test_a_thread_that_has_left_its_with_statement_is_no_holder(python):
    with running(python, source_of("used_python_lock.py"), lines=3) as (process, lines):
        ids = {name: int(thread) for name, thread in map(str.split, lines)}
        seen = until(lambda seen: "Python lock" in threads(seen)[ids["waiter"]]["wait"]["text"], process.pid)
        assert threads(seen)[ids["waiter"]]["wait"]["holder"] is None and seen["causes"] == []
        assert threads(seen)[ids["user"]]["name"].startswith("Thread-1")


def test_a_fifo_that_nobody_writes_to(tmp_path):
    os.mkfifo(tmp_path / "orders")
    for path, folder in ((str(tmp_path / "orders"), None), ("orders", tmp_path)):
        with running("sh", "-c", f"echo; exec cat {path}", cwd=folder) as (process, _):
            seen = until(lambda seen: "opens" in threads(seen)[process.pid]["wait"]["text"], process.pid)
            assert (threads(seen)[process.pid]["wait"]["text"] ==
                    f"opens the FIFO {path}, which no process has open for writing")


def test_a_pipe_that_wakes_up_many_is_no_cause():
    with running(sys.executable, source_of("wake_up_pipe.py")) as (process, _):
        def all_wait(seen):
            return sum("waits for events (epoll)" in each["wait"]["text"] for each in threads(seen).values()) == 3
        assert until(all_wait, process.pid)["causes"] == []


def test_equal_threads_are_one_group_and_the_interpreter_is_folded():
    with running(sys.executable, source_of("idle_threads.py")) as (process, _):
        until(lambda seen: sum("Python condition" in each["wait"]["text"] for each in threads(seen).values()) == 12,
              process.pid)
        text = stack(process.pid)
        group, = re.findall(r"12 threads[^\n]*: (.*)\n  waits for a Python condition \(12 different ones\)\n", text)
        assert group.count(",") == 7 and group.endswith(" and 4 more")
        assert "Event.wait()" in text or " wait()" in text
        assert "frames of the interpreter)" in text and "Eval" not in text
        whole = stack("--all-frames", process.pid)
        assert "frames of the interpreter)" not in whole and whole.count("\n") > text.count("\n")


def test_frames_of_prof_are_not_shown(tmp_path):
    with running(PROF, "profile", "-t", "osrt", "-o", tmp_path / "r", program("deadlock")) as (process, (line,)):
        known = json.loads(line)
        seen = until(has_cause("deadlock of 2 threads"), process.pid)
        thread = threads(seen)[known["forwards"]]
        assert any("take_second" in (name or "") for name in functions(thread))
        assert not any("libprof_" in (frame["module"] or "") for frame in thread["frames"])


def test_a_parent_waits_for_its_child():
    with running("sh", "-c", "echo; sleep 1000; true") as (process, _):
        seen = until(lambda seen: len(seen["processes"]) == 2, process.pid)
        # The child is a fork of the shell first.
        seen = until(lambda seen: any("(sleep)" in line and "sleeps" in line for line in seen["causes"]), process.pid)
        assert has_cause("waits for the end of a child process")(seen)
        assert threads(seen)[process.pid]["wait"]["processes"] == [seen["processes"][1]["pid"]]


@pytest.mark.parametrize("name", ["deadlock", "unbroken_waits"])
def test_chains_are_those_of_libunwind(name):
    judge = program("libunwind_chains")
    with running(program(name)) as (process, _):
        until(lambda seen: all(thread["state"] == "S" for thread in threads(seen).values()), process.pid)
        seen = threads(snapshot(process.pid))
        lines = subprocess.run([judge, str(process.pid)], stdout=subprocess.PIPE, text=True, check=True).stdout
        chains = {each["tid"]: each["addresses"] for each in map(json.loads, lines.splitlines())}
        assert len(chains) > 2 and chains.keys() == seen.keys()
        for tid, addresses in chains.items():
            assert [frame["address"] for frame in seen[tid]["frames"] if "address" in frame] == addresses
            assert seen[tid]["chain_end"] is None


def test_no_call_notices_that_its_thread_was_stopped():
    with running(program("unbroken_waits")) as (process, _):
        def texts(seen):
            return {tid: thread["wait"]["text"] for tid, thread in threads(seen).items()}
        before = texts(until(lambda seen: len(threads(seen)) == 12 and "runs" not in texts(seen).values(), process.pid))
        for _ in range(5):
            assert texts(snapshot(process.pid)) == before
        process.stdin.write("x")
        process.stdin.flush()
        assert process.wait() == 0, process.stdout.read()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the program is one of those for prof attach")
def test_the_first_thread_has_ended():
    with running(program("attach_kinds"), "first_thread_ended") as (process, _):
        seen = until(lambda seen: {"go_on_alone", "wait_in_epoll"} <= {
            each for thread in threads(seen).values() for each in functions(thread)}, process.pid)
        assert len(threads(seen)) == 2 and process.pid not in threads(seen)
        assert not any(thread["problem"] for thread in threads(seen).values())
        assert "has ended" not in stack(process.pid)


def test_a_thread_that_cannot_be_stopped_is_left_alone():
    with running(program("waits_for_vfork")) as (process, (child,)):
        seen = until(lambda seen: threads(seen)[process.pid]["state"] == "D", process.pid)
        parent = threads(seen)[process.pid]
        assert parent["wait"]["text"] == "waits for its new process to start a program or to end"
        assert parent["wait"]["processes"] == [int(child)] and parent["problem"] == "cannot be stopped now"
        assert "sleep_in_child" in functions(threads(seen)[int(child)])


def test_a_stopped_process_stays_stopped():
    with running("sh", "-c", "echo; exec sleep 1000") as (process, _):
        process.send_signal(signal.SIGSTOP)
        seen = until(lambda seen: threads(seen)[process.pid]["state"] == "T", process.pid)
        assert threads(seen)[process.pid]["frames"]
        # On a busy machine the kernel takes a moment to stop it again when prof lets it go.
        until(lambda seen: threads(seen)[process.pid]["state"] == "T", process.pid)


def test_a_stopped_process_is_a_cause():
    with running("sh", "-c", "(echo; kill -STOP $(exec sh -c 'echo $PPID')); true") as (process, _):
        seen = until(lambda seen: any("is stopped by a signal" in line for line in seen["causes"]), process.pid)
        child = seen["processes"][1]["pid"]
        assert seen["causes"][0] == f"process {child} (sh) is stopped by a signal; kill -CONT {child} lets it go on"
        # The parent's line names it as the child that does not end.
        assert "Its child processes:" in seen["causes"][1] and f"process {child} (sh)" in seen["causes"][2]
        assert seen["causes"][2].endswith(f"is stopped by a signal; kill -CONT {child} lets it go on")
        process.send_signal(signal.SIGSTOP)
        seen = until(lambda seen: len(seen["causes"]) == 1, process.pid)
        assert seen["causes"] == [f"2 processes are stopped by a signal; kill -CONT {process.pid} {child} "
                                  "lets them go on"]
        for pid in process.pid, child:
            assert threads(seen)[pid]["wait"]["text"] == f"is stopped by a signal; kill -CONT {pid} lets it go on"
            os.kill(pid, signal.SIGCONT)
        assert process.wait() == 0


def test_a_process_that_its_tracer_stopped_is_a_cause():
    with running(sys.executable, source_of("stopped_by_tracer.py")) as (process, (child,)):
        why = f"is stopped and traced by process {process.pid} ("
        seen = until(has_cause(why), process.pid)
        assert "The other end is open in:" in seen["causes"][0]
        assert re.match(rf"  process {child} \(.*\) {re.escape(why)}", seen["causes"][1])
        assert why in failure(child)


@pytest.mark.parametrize("kind", ["flock", "posix", "open_description", "inherited"])
def test_the_holder_of_a_file_lock_is_named(kind, tmp_path):
    path = tmp_path / "queue.lock"
    path.touch()
    command = (sys.executable, source_of("locks_file.py"), kind, path)
    with running(*command) as (_, (holder,)), running(*command, lines=0) as (waiter, _):
        seen = until(has_cause("waits for the lock of"), waiter.pid)
        wait = threads(seen)[waiter.pid]["wait"]
        assert wait["for"] == "lock" and wait["processes"] == [int(holder)]
        assert re.fullmatch(rf"waits for the lock of descriptor \d+: {path}, which process {holder} \(python\S*\) holds",
                            wait["text"])
        assert wait["text"] + "; it is in acquire() (locks_file.py:" in seen["causes"][0]
        both = snapshot(holder, waiter.pid)
        assert re.match(rf"  process {holder} \(python\S*\) is in .* and sleeps", both["causes"][1])
        os.kill(int(holder), signal.SIGSTOP)
        until(has_cause(f"holds; that is stopped by a signal; kill -CONT {holder} lets it go on"), waiter.pid)
        os.kill(int(holder), signal.SIGKILL)
        assert waiter.stdout.readline()


@pytest.mark.parametrize("how, end", [
    ("full", "which writes to a pipe that process {parent} ({name}) has not read"),
    ("unclosed", "which reads from a pipe to which process {parent} ({name}) has not written")])
def test_a_circle_of_processes_is_a_deadlock(how, end):
    with running(sys.executable, source_of("full_pipe.py"), how) as (process, (child,)):
        seen = until(has_cause("deadlock of 3 processes"), process.pid)
        name, tool = seen["processes"][0]["name"], seen["processes"][2]
        assert seen["causes"][0] == (
            f"deadlock of 3 processes: process {process.pid} ({name}) waits for the end of process {child} (sh), "
            f"which waits for the end of process {tool['pid']} ({tool['name']}), "
            f"{end.format(parent=process.pid, name=name)}")
        assert "convert() (full_pipe.py:" in seen["causes"][1] and len(seen["causes"]) == 4
        assert f"  process {tool['pid']} (" in seen["causes"][3]


@pytest.mark.parametrize("how", ["read", "held"])
def test_a_pipe_that_is_read_is_not_a_deadlock(how):
    with running(sys.executable, source_of("full_pipe.py"), how) as (process, (child,)):
        until(lambda seen: any(each["wait"]["text"].startswith("writes descriptor 1: pipe")
                               for each in threads(seen).values()), process.pid)
        for _ in range(10):
            assert not has_cause("deadlock")(snapshot(process.pid))


def test_processes_that_answer_each_other_are_not_a_deadlock():
    with running(sys.executable, source_of("asks_child.py")) as (process, _):
        for _ in range(30):
            assert not has_cause("deadlock")(snapshot(process.pid))


def test_a_deadlock_of_file_locks(tmp_path):
    for name in "ab":
        (tmp_path / name).touch()
    script = source_of("locks_file.py")
    with running(sys.executable, script, "flock", tmp_path / "a", tmp_path / "b") as (one, _), \
            running(sys.executable, script, "flock", tmp_path / "b", tmp_path / "a") as (two, _):
        one.stdin.close()
        two.stdin.close()
        seen = until(has_cause("deadlock of 2 processes"), one.pid, two.pid)
        assert re.match(rf"deadlock of 2 processes: process {one.pid} \(python\S*\) waits for the lock of a file that "
                        rf"process {two.pid} ", seen["causes"][0])


def test_a_process_that_waits_for_its_own_file_lock(tmp_path):
    path = tmp_path / "queue.lock"
    path.touch()
    with running(sys.executable, source_of("locks_file.py"), "flock", path, path) as (process, _):
        process.stdin.close()
        seen = until(has_cause("deadlock in process"), process.pid)
        assert seen["causes"][0].startswith(f"deadlock in process {process.pid} (")
        assert f"{path}, which the process itself holds through another descriptor" in seen["causes"][1]


@AS_ROOT
def test_the_holder_of_a_file_lock_that_cannot_be_seen():
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0o666)
        command = (sys.executable, source_of("locks_file.py"), "open_description", file.name)
        with running(*command), running(*NOBODY, *command, lines=0) as (waiter, _):
            def is_said():
                done = subprocess.run([*NOBODY, PROF, "stack", str(waiter.pid)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, check=False)
                if "ermission denied" in done.stderr or waiter.poll() is not None:
                    pytest.skip("nobody may not come here")
                return f"{file.name}, which another process holds" in done.stdout
            end = time.monotonic() + 60
            while not is_said():
                assert time.monotonic() < end


def test_whether_the_gpu_is_busy(tmp_path):
    library = tmp_path / "libcuda.so.1"  # not CUDA's, but prof only looks at the name
    shutil.copy(next(line.split()[-1] for line in open("/proc/self/maps", encoding="utf8") if "libm.so.6" in line
                     or "libc.so.6" in line), library)
    code = f"import ctypes, time; ctypes.CDLL({str(library)!r}); print(1, flush=True); time.sleep(1000)"
    with running(sys.executable, "-c", code) as (process, _):
        seen = snapshot(process.pid, env=machine(f"gpus=2,process={process.pid}"))
        gpu, = seen["gpus"]
        assert gpu["index"] == 0 and gpu["processes"] == [{"pid": process.pid, "memory_bytes": 3 << 30}]
        busy = gpu["busy_percent"]
        text = stack(process.pid, env=machine(f"gpus=2,process={process.pid}"))
        assert f"GPU 0 is {'busy' if busy else 'idle'} ({busy:.0f} %); process {process.pid}" in text
        assert "has 3.0 GiB of it" in text
        assert "GPUs cannot be read: " in stack(process.pid, env=machine(library="/nonexistent"))


def failure(*arguments, **options):
    done = prof("stack", *arguments, **options)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_what_cannot_be_seen_is_said():
    ended = subprocess.Popen(["true"])
    while open(f"/proc/{ended.pid}/stat", encoding="utf8").read().split()[2] != "Z":
        pass
    assert "has ended, and its parent has not asked for its exit status" in failure(ended.pid)
    ended.wait()
    assert failure(ended.pid) == f"prof: there is no process {ended.pid}\n"
    assert failure("no-such-name") == "prof: there is no process named no-such-name\n"
    assert prof("stack").returncode == 2


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_traced_process_is_said_to_be():
    with running("strace", "-o", "/dev/null", "sh", "-c", "echo $$; exec sleep 1000") as (tracer, (pid,)):
        assert (f"traced by process {tracer.pid} (strace); only one can do that: end that first"
                in failure(pid))


@AS_ROOT
def test_processes_of_others_are_refused():
    with (running("sh", "-c", "echo; exec sleep 1000") as (process, _),
          tempfile.TemporaryDirectory(dir="/tmp") as folder):  # others may not come to pytest's folders
        os.chmod(folder, 0o755)
        tool = shutil.copy(PROF, folder)
        shutil.copy(PROF.with_name("libprof_report.so"), folder)
        done = subprocess.run([*NOBODY, tool, "stack", str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        if "ermission denied" in done.stderr and "prof:" not in done.stderr:
            pytest.skip("nobody may not come here")
        assert done.returncode == 1 and done.stderr.count("\n") == 1
        assert "belongs to user 0: run prof as that user or with sudo" in done.stderr
        # Its child processes are not looked at in its place.
        parent = subprocess.run([*NOBODY, tool, "stack", str(os.getpid())], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, check=False)
        assert parent.returncode == 1 and parent.stderr.count("\n") == 1 and not parent.stdout


def test_a_hostile_process_does_no_harm():
    with running(sys.executable, source_of("hostile_python.py")) as (process, _):
        text = stack(process.pid)
        assert "\x1b" not in text and "?[31mred" in text and "<module>()" in text
