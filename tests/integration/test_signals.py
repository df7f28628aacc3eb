"""Interrupting, terminating and killing prof: the target decides, the data stay."""
import os
import signal
import subprocess
import time

import pytest
from profiling import BUILD, PROF, Report, preloads_into_prof, prof, program


def start(tmp_path, *command, group=False):
    process = subprocess.Popen(
        [str(PROF), "profile", "-t", "nvtx,osrt", "--osrt-threshold", "0", "-o",
         str(tmp_path / "r.db"), "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=group)
    return process


def wait_for_line(process):
    return process.stdout.readline()


HANDLER = ("import signal, sys, time\n"
           "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
           "print('ready', flush=True)\n"
           "while True: time.sleep(0.01)\n")


def test_sigterm_is_passed_on_and_the_report_written(tmp_path):
    process = start(tmp_path, "/usr/bin/python3", "-c", HANDLER)
    wait_for_line(process)
    time.sleep(0.2)  # a few rounds of its loop
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 5
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] > 0


def test_interrupt_of_the_whole_group(tmp_path):
    process = start(tmp_path, "/usr/bin/python3", "-c",
                    "import time\nprint('ready', flush=True)\ntime.sleep(60)", group=True)
    wait_for_line(process)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) != 0
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0


def test_third_interrupt_gives_up_on_a_stubborn_program(tmp_path):
    process = start(tmp_path, "/usr/bin/python3", "-c",
                    "import os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                    "print(os.getpid(), flush=True)\ntime.sleep(60)")
    target = int(wait_for_line(process))
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    process.wait(20)
    assert (tmp_path / "r.db").exists()
    os.kill(target, 0)  # still there
    os.kill(target, signal.SIGKILL)


def test_killed_profiler_leaves_a_recording(tmp_path):
    process = start(tmp_path, program("thousand_then"), "stop")
    spool = tmp_path / "r.db.spool"
    for _ in range(100):
        time.sleep(0.05)
        if spool.exists() and spool.stat().st_size > 50_000:
            break
    time.sleep(0.2)
    target = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, check=True,
                                text=True).stdout.split()[0])
    process.kill()
    process.wait()
    os.kill(target, 0)  # the target lives on without us
    os.kill(target, signal.SIGKILL)
    again = prof("profile", "-o", tmp_path / "r.db", "true")
    assert again.returncode == 1 and "prof recover" in again.stderr
    done = prof("recover", spool)
    assert done.returncode == 0, done.stderr
    report = Report(tmp_path / "r.db")
    assert report.value("PRAGMA integrity_check") == "ok"
    assert len(report.nvtx(59)) == 1000 and report.calls()["write"] == 1000
    assert any("recovered" in text for text in report.diagnostics())
    assert not spool.exists()


def test_torn_recording_keeps_what_is_whole(tmp_path):
    process = start(tmp_path, program("thousand_then"), "stop")
    time.sleep(0.5)
    target = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, check=True,
                                text=True).stdout.split()[0])
    process.kill()
    process.wait()
    os.kill(target, signal.SIGKILL)
    spool = tmp_path / "r.db.spool"
    whole = spool.read_bytes()
    spool.write_bytes(whole[:len(whole) // 2])
    done = prof("recover", spool, "-o", tmp_path / "half.db")
    assert done.returncode == 0, done.stderr
    assert Report(tmp_path / "half.db").value("PRAGMA integrity_check") == "ok"


@preloads_into_prof
@pytest.mark.parametrize("environment, statuses", [({}, (3,)), ({"TAKE_STATUS": "1"}, (3, 0))])
def test_another_tool_inside_prof_takes_its_signals(tmp_path, environment, statuses):
    """compute-sanitizer, for one, puts threads into whatever it starts. That the program has ended
    is noticed all the same."""
    taker = BUILD / "bin" / "programs" / "libsignal_taker.so"
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "r.db", "--", "sh", "-c", "sleep 0.3; exit 3",
                env={**os.environ, "LD_PRELOAD": str(taker), **environment}, timeout=30)
    assert done.returncode in statuses, done.stderr  # who comes first has the exit status
    assert ("taken by another tool" in done.stderr) == (done.returncode == 0)
    assert Report(tmp_path / "r.db").tables()
