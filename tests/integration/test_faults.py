"""The faults of docs/troubleshooting.md. If something on prof's side is killed or broken, the program runs on
unharmed, the data on disk can be opened, and the message says how."""
import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from profiling import BUILD, PROF, Report, prof, program

# A program in two halves: it prints its pid, waits for a line, and continues.
HALVES = "echo $$; {before}; read line; {after}; echo done; exit 3"


def start(path, script, *options, **more):
    """Profiles a shell script in the background."""
    return subprocess.Popen([str(PROF), "profile", "-t", "nvtx,osrt", "--osrt-threshold=0", "-o", str(path), *options, "--",
                             "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_quiet(path):
    """Nothing writes to the file any more."""
    before = path.stat().st_size
    time.sleep(0.3)
    return path.stat().st_size == before


def finish(process, answer="\n"):
    out, err = process.communicate(answer, timeout=120)
    return out, err


def recovered(spool, *options):
    done = prof("recover", spool, *options)
    assert done.returncode == 0, done.stderr
    output = options[1] if options else str(spool).removesuffix(".spool")
    report = Report(output)
    assert report.value("PRAGMA integrity_check") == "ok"
    return report, done


# --- the profiler dies

@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS])
def test_profiler_dies_during_the_run(tmp_path, how):
    flood = program("nvtx_flood")
    process = start(tmp_path / "r.db", HALVES.format(before=f"{flood} 1000", after=f"{flood} 1000; /bin/echo child"))
    process.stdout.readline()
    assert process.stdout.readline() == "done\n"  # the output of the flood
    until(lambda: is_quiet(tmp_path / "r.db.spool"))
    process.send_signal(how)
    process.wait(20)
    out, _ = finish(process)
    assert out == "done\nchild\ndone\n"  # of later programs, which could not join
    again = prof("profile", "-o", tmp_path / "r.db", "true")
    assert again.returncode == 1 and f"prof recover {tmp_path}/r.db.spool" in again.stderr
    report, _ = recovered(tmp_path / "r.db.spool")
    assert len(report.nvtx(59)) == 1000
    assert any("recovered" in text for text in report.diagnostics())
    assert os.listdir(tmp_path) == ["r.db"]


def test_profiler_dies_and_the_program_still_has_its_status(tmp_path):
    script = f"exec 3>{tmp_path}/status; sh -c 'echo $$; read line; kill -9 $PPID_OF_PROF; sleep 0.2; exit 7'; echo $? >&3"
    process = start(tmp_path / "r.db", f"PPID_OF_PROF=$PPID; export PPID_OF_PROF; {script}")
    process.stdout.readline()
    finish(process)
    until(lambda: (tmp_path / "status").read_text() == "7\n")


def test_session_variables_without_a_session(tmp_path):
    """The profiler died before the program's first handshake: the session's variables are set, but there is no
    session."""
    library = BUILD / "bin" / "libprof_inject.so"
    for session in (tmp_path / "gone", tmp_path / "deaf"):
        if session.name == "deaf":
            session.mkdir()
            (session / "control").touch()
        environment = {**os.environ, "LD_PRELOAD": str(library), "PROF_SESSION": str(session)}
        done = subprocess.run(["sh", "-c", "/bin/echo one; (/bin/echo two); exit 5"], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (5, "one\ntwo\n", "")


def test_profiler_dies_while_writing_the_report(tmp_path):
    process = start(tmp_path / "r.db", f"{program('nvtx_flood')} 400000")
    until(lambda: list(tmp_path.glob("r.db.tmp*")))
    process.kill()
    out, _ = finish(process)
    assert out == "done\n" and not (tmp_path / "r.db").exists()
    report, _ = recovered(tmp_path / "r.db.spool")
    assert len(report.nvtx(59)) > 1000
    assert os.listdir(tmp_path) == ["r.db"]  # and nothing half-written


def test_profiler_is_stopped(tmp_path):
    """The profiler is stopped, or gets no CPU. The program goes on, the buffer stays bounded, and dropped
    events are counted."""
    process = start(tmp_path / "r.db", HALVES.format(before="sleep 0.5", after=f"exec {program('nvtx_flood')} 1500000"),
                    "--buffer-size=16M")
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    until(lambda: any("nvtx_flood" in text for text in commands_of_session(process.pid)))
    time.sleep(0.1)
    process.send_signal(signal.SIGSTOP)
    assert process.stdout.readline() == "done\n"  # the collector does not take its records
    process.send_signal(signal.SIGCONT)
    _, err = finish(process)
    assert process.returncode == 0
    assert len(re.findall(r"(\d+) events were dropped", err)) == 1
    report = Report(tmp_path / "r.db")
    assert any("were dropped: the event buffer was full" in text for text in report.diagnostics())
    assert 0 < len(report.nvtx(59)) < 1500000


def test_a_burst_needs_no_collector(tmp_path):
    """Threads add memory to the buffer themselves: nothing is dropped until the buffer has its maximum size."""
    if ctypes.CDLL(None).madvise(None, 0, 23) != 0:  # MADV_POPULATE_WRITE
        pytest.skip("the kernel is older than Linux 5.14")
    process = start(tmp_path / "r.db", HALVES.format(before="sleep 0.5", after=f"exec {program('nvtx_flood')} 200000 wait"),
                    "--buffer-size=64M")
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    until(lambda: any("nvtx_flood" in text for text in commands_of_session(process.pid)))
    process.send_signal(signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    process.send_signal(signal.SIGCONT)
    _, err = finish(process)
    assert process.returncode == 0 and "dropped" not in err
    assert len(Report(tmp_path / "r.db").nvtx(59)) == 200000


def commands_of_session(pid):
    done = subprocess.run(["ps", "-o", "args=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.splitlines()


def test_program_starts_while_the_profiler_is_stopped(tmp_path):
    process = start(tmp_path / "r.db", HALVES.format(before="true", after="/bin/echo child"))
    process.stdout.readline()
    process.send_signal(signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "child\n"  # it does not wait, or at most two seconds
    assert process.stdout.readline() == "done\n"
    process.send_signal(signal.SIGCONT)
    finish(process)
    assert process.returncode == 3 and (tmp_path / "r.db").exists()


# --- the disk is full

@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place],
                                           stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("cannot mount a small file system")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_disk_full_during_the_run(small_disk):
    path = small_disk / "r.db"
    done = prof("profile", "-t", "nvtx", "-o", path, "--", "sh", "-c", f"{program('nvtx_flood')} 200000; /bin/echo child")
    assert done.returncode == 1 and done.stdout == "done\nchild\n"
    lines = done.stderr.splitlines()
    assert len(lines) == 2, lines  # one while it runs, one at the end
    assert "No space left" in lines[0] and "the program goes on" in lines[0]
    assert f"prof recover {path}.spool" in lines[1]
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    report, again = recovered(f"{path}.spool")
    assert 1000 < len(report.nvtx(59)) < 200000
    assert any(re.fullmatch(r"\d+ events were dropped: the disk was full\.", text) for text in report.diagnostics())
    assert not any("recovered" in text or "amaged" in text for text in report.diagnostics())  # complete to its end
    assert "events were dropped" in again.stderr


def limit_files(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes << 20, megabytes << 20))


def test_a_limit_on_the_size_of_files(tmp_path):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "nvtx", "-o", path, program("nvtx_flood"), "200000", preexec_fn=limit_files(2))
    assert done.stdout == "done\n" and "File too large" in done.stderr
    if done.returncode == 1:  # the report does not fit either
        recovered(f"{path}.spool")
    report = Report(path)
    assert 1000 < len(report.nvtx(59)) < 200000
    assert any("the disk was full" in text for text in report.diagnostics())


def test_room_for_the_report_of_what_fitted(small_disk):
    """The recording stopped, and there is still room for a report."""
    path = small_disk / "r.db"
    done = prof("profile", "-t", "nvtx", "-o", path, "--", "sh", "-c",
                f"{program('nvtx_flood')} 100000; mount -o remount,size=64m {small_disk}; exit 4")
    assert done.returncode == 4, done.stderr
    assert done.stderr.count("No space left") == 1 and "events were dropped" in done.stderr
    assert 1000 < len(Report(path).nvtx(59)) < 100000
    assert os.listdir(small_disk) == ["r.db"]


def test_disk_full_while_writing_the_report(small_disk):
    path = small_disk / "r.db"
    done = prof("profile", "-t", "nvtx", "-o", path, program("nvtx_flood"), "16000")  # there is room for only one of the two
    assert done.returncode == 1 and done.stdout == "done\n"
    assert f"prof recover {path}.spool" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert os.listdir(small_disk) == ["r.db.spool"]
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    report, _ = recovered(f"{path}.spool")
    assert len(report.nvtx(59)) == 16000


# --- the files are removed

def test_output_directory_is_removed(tmp_path):
    place = tmp_path / "out"
    place.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "-o", place / "r.db", "--", "sh", "-c",
                f"/bin/echo one; rm -r {place}; /bin/echo two", env={**os.environ, "TMPDIR": str(elsewhere)})
    assert done.returncode == 1 and done.stdout == "one\ntwo\n"
    kept = re.search(r"prof recover (\S+) -o", done.stderr).group(1)
    assert Path(kept).parent == elsewhere
    report, _ = recovered(kept, "-o", str(tmp_path / "saved.db"))
    names = {row["name"] for row in report.query("SELECT name FROM PROCESSES")}
    assert "/usr/bin/echo" in names and not list(elsewhere.iterdir())


def test_output_directory_becomes_read_only():
    """Runs as nobody, because permissions do not stop root."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "out"
        place.mkdir()
        os.chmod(folder, 0o755)
        user = {}
        if os.geteuid() == 0:
            os.chown(place, 65534, 65534)
            user = {"user": 65534, "group": 65534, "extra_groups": []}
            if subprocess.run([str(PROF), "--version"], stdout=subprocess.DEVNULL, check=False, **user).returncode != 0:
                pytest.skip("others cannot run this build")
        done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "-o", place / "r.db", "--", "sh", "-c",
                    f"/bin/echo one; chmod 500 {place}; /bin/echo two", cwd="/", **user)
        assert done.returncode == 1 and done.stdout == "one\ntwo\n", done.stderr
        assert "Permission denied" in done.stderr and f"prof recover {place}/r.db.spool" in done.stderr
        os.chmod(place, 0o700)
        recovered(place / "r.db.spool")


def test_recording_is_deleted(tmp_path):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "nvtx", "-o", path, "--", "sh", "-c", f"rm {path}.spool; {program('nvtx_flood')} 1000; exit 4")
    assert done.returncode == 4 and "was deleted" in done.stderr
    assert len(Report(path).nvtx(59)) == 1000


def test_recording_is_cut_short(tmp_path):
    path = tmp_path / "r.db"
    flood = program("nvtx_flood")
    done = prof("profile", "-t", "nvtx", "-o", path, "--", "sh", "-c",
                f"{flood} 1000; sleep 0.2; : > {path}.spool; {flood} 500; exit 4")
    assert done.returncode == 4 and done.stdout == "done\ndone\n"
    assert "cut short" in done.stderr
    report = Report(path)
    assert len(report.nvtx(59)) == 500
    assert any("cut short" in text for text in report.diagnostics())


def test_session_directory_is_deleted(tmp_path):
    done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "-o", tmp_path / "r.db", "--", "sh", "-c",
                '/bin/echo one; rm -r "$PROF_SESSION"; /bin/echo two; (echo three); exit 4')
    assert done.returncode == 4 and done.stdout == "one\ntwo\nthree\n"
    assert "not traced" in done.stderr
    report = Report(tmp_path / "r.db")
    names = [row["name"] for row in report.query("SELECT name FROM PROCESSES")]
    assert names.count("/usr/bin/echo") == 1
    assert any("session directory was deleted" in text for text in report.diagnostics())
    assert names.count(os.path.realpath(shutil.which("sh"))) == 2  # and the forked child


@pytest.mark.parametrize("names", [["arrivals"], ["arrivals", "control"], ["control"], ["reply"], ["reply", "control"]])
def test_a_part_of_the_session_directory_is_deleted(tmp_path, names):
    """Programs that start afterwards run as without prof, also those that had joined in part. (A program that could not
    say that it had started recorded into memory that it did not have.)"""
    script = f"cd $PROF_SESSION && rm {' '.join(names)} && /bin/ls -d / && /bin/sh -c 'test -d /' && /bin/echo done"
    done = prof("profile", "-t", "nvtx,osrt", "--osrt-threshold=0", "-o", tmp_path / "r.db", "sh", "-c", script)
    assert done.returncode == 0 and done.stdout == "/\ndone\n", done
    assert Report(tmp_path / "r.db", done).query("SELECT 1 FROM OSRT_API LIMIT 1")


def test_event_pipe_is_deleted(tmp_path):
    done = prof("profile", "-t", "nvtx", "-o", tmp_path / "r.db", "--", "sh", "-c",
                f'rm "$PROF_SESSION/events"; exec {program("nvtx_flood")} 20000')
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "done\n", 2), done.stderr
    assert len(Report(tmp_path / "r.db").nvtx(59)) == 20000


def test_nobody_reads_our_messages(tmp_path):
    """prof ... 2>&1 | head"""
    path = tmp_path / "r.db"
    process = start(path, f"echo ready; read line; rm {path}.spool; {program('nvtx_flood')} 1000; exit 4")
    process.stdout.readline()
    process.stderr.close()
    process.stdin.write("\n")
    process.stdin.close()
    assert process.wait(60) == 4
    assert len(Report(path).nvtx(59)) == 1000


# --- damaged recordings

@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """The recording of a profiler that was killed, as bytes."""
    folder = tmp_path_factory.mktemp("recording")
    process = start(folder / "r.db", HALVES.format(before=f"{program('nvtx_flood')} 1000", after="true"))
    process.stdout.readline()
    process.stdout.readline()
    until(lambda: is_quiet(folder / "r.db.spool"))
    process.kill()
    finish(process)
    return (folder / "r.db.spool").read_bytes()


def test_recover_under_the_name_that_users_of_nsys_know(tmp_path, recording):
    (tmp_path / "r.db.spool").write_bytes(recording)
    assert prof("import", tmp_path / "r.db.spool").returncode == 0
    assert len(Report(tmp_path / "r.db").nvtx(59)) == 1000


@pytest.mark.parametrize("content, message", [
    (b"", "is empty: nothing had been recorded"), (b"prof", "is not a recording"), (b"profspl2" + bytes(64), "is not a recording"),
    (b"SQLite format 3\0" + bytes(4000), "is not a recording"), (bytes(100000), "is not a recording")])
def test_files_that_are_not_recordings(tmp_path, content, message):
    spool = tmp_path / "r.db.spool"
    spool.write_bytes(content)
    done = prof("recover", spool)
    assert done.returncode == 1 and message in done.stderr
    assert os.listdir(tmp_path) == ["r.db.spool"]


def test_half_written_recordings(tmp_path, recording):
    spool = tmp_path / "r.db.spool"
    for part in (8, 9, 100, len(recording) // 3, len(recording) - 1):
        spool.write_bytes(recording[:part])
        report, _ = recovered(spool)
        assert any("recovered" in text for text in report.diagnostics())
        Path(report.path).unlink()


@pytest.mark.parametrize("begin, end", [(0, 8), (8, 24), (0, 4096), (5000, 5400)])
def test_damaged_recordings_keep_what_is_whole(tmp_path, recording, begin, end):
    spool = tmp_path / "r.db.spool"
    spool.write_bytes(recording[:begin] + b"\xff" * (end - begin) + recording[end:])
    report, done = recovered(spool)
    assert "damaged" in done.stderr and any("amaged" in text for text in report.diagnostics())
    if (begin, end) == (0, 8):  # only its file name
        assert len(report.nvtx(59)) == 1000


def test_a_damaged_note_costs_only_itself(tmp_path, recording):
    """Each byte of the notes of processes, with one bit flipped: all ranges are in the report."""
    spool = tmp_path / "r.db.spool"
    begin = recording.index(b'{"type":"process"')
    end = recording.index(b"}", begin) + 1
    for at in range(begin, end, 3):
        damaged = bytearray(recording)
        damaged[at] ^= 0x80 if at % 2 else 0x04
        spool.write_bytes(damaged)
        report, done = recovered(spool)
        assert len(report.nvtx(59)) == 1000, (at - begin, done.stderr)
        Path(report.path).unlink()


def test_a_failed_recovery_does_not_advise_itself(tmp_path, recording):
    spool = tmp_path / "r.db.spool"
    spool.write_bytes(recording)
    done = prof("recover", spool, "-o", tmp_path / "missing" / "r.db")
    assert done.returncode == 1 and "prof recover" not in done.stderr and spool.exists()


def test_recording_that_is_still_written(tmp_path):
    process = start(tmp_path / "r.db", HALVES.format(before="true", after="true"))
    process.stdout.readline()
    done = prof("recover", tmp_path / "r.db.spool", "-o", tmp_path / "early.db")
    assert done.returncode == 1 and "still recording" in done.stderr
    finish(process)
    assert process.returncode == 3 and os.listdir(tmp_path) == ["r.db"]
