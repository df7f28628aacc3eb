"""What a killed prof leaves: the next prof in that folder names the recording and the command that makes its report,
and removes what is worth nothing."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from profiling import BUILD, PROF, SOURCE, Report, prof, program

EVENTS = "for i in 1 2 3; do /bin/true; done; "
KILL_PROF = "kill -9 $PPID"


def killed(folder, *options, script=EVENTS):
    """A prof that is killed while it records, after the events have reached the recording."""
    done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "-o", "r.db", *options, "sh", "-c",
                f"{script} sleep 0.3; {KILL_PROF}", cwd=folder)
    assert done.returncode == -signal.SIGKILL


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recording")
    killed(folder)
    return folder / "r.db.spool"


@pytest.fixture
def folder(tmp_path, recording):
    shutil.copy(recording, tmp_path / "r.db.spool")
    return tmp_path


def commands(stderr):
    return re.findall(r"^prof: .*To make the report: (prof recover .*)$", stderr, re.M)


def run_command(command, folder):
    path = f"{PROF.parent}:{os.environ['PATH']}"
    return subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def is_whole(path):
    """The report has the processes of EVENTS: the shell and three children."""
    report = Report(path)
    return report.value("PRAGMA integrity_check") == "ok" and len(report.pids()) >= 4


@pytest.mark.parametrize("words", [
    ["profile", "-t", "osrt", "-o", "next.db", "true"], ["stats", "r.db"], ["analyze", "r.db"],
    ["diff", "r.db", "s.db"], ["export", "--json", "r.db"], ["recover", "other.db.spool"]], ids=lambda words: words[0])
def test_every_verb_names_it(folder, words):
    (folder / "other.db.spool").write_bytes(b"profspl1")
    assert commands(prof(*words, cwd=folder).stderr) == ["prof recover r.db.spool"]


def test_named_from_another_folder(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for words in (["profile", "-o", folder / "next.db", "true"], ["stats", folder / "r.db"]):
        command, = commands(prof(*words, cwd=elsewhere).stderr)
        assert command == f"prof recover {folder}/r.db.spool"
    assert run_command(command, elsewhere).returncode == 0
    assert sorted(os.listdir(folder)) == ["next.db", "r.db"] and is_whole(folder / "r.db")


@pytest.mark.parametrize("name", ["with space.db", "-dash.db", "it's.db", "100%p.db", "é.db"])
def test_the_command_works_for_any_name(folder, name):
    (folder / "r.db.spool").rename(folder / f"{name}.spool")
    shutil.copy(folder / f"{name}.spool", folder / "copy")
    command, = commands(prof("stats", "no.db", cwd=folder).stderr)
    done = run_command(command, folder)
    assert done.returncode == 0 and is_whole(folder / name), done.stderr
    # Another file of that name stays.
    (folder / name).write_bytes(b"something else")
    (folder / "copy").rename(folder / f"{name}.spool")
    command, = commands(prof("stats", "no.db", cwd=folder).stderr)
    done = run_command(command, folder)
    assert done.returncode == 0, done.stderr
    made, = folder.glob("*.recovered.db")
    assert is_whole(made) and (folder / name).read_bytes() == b"something else"


def test_worthless_things_are_removed(tmp_path):
    killed(tmp_path, script="sleep 0.1; kill -9 $PPID;")  # sh has made no call before
    (tmp_path / "only.db.spool").write_bytes(b"profspl1")
    (tmp_path / "r.db.tmp-prof999999999-0123cdef").write_bytes(b"half a report")
    assert prof("stats", "no.db", cwd=tmp_path).stderr.count("\n") <= 2
    assert {"only.db.spool", "r.db.tmp-prof999999999-0123cdef"}.isdisjoint(os.listdir(tmp_path))


def test_other_files_stay(tmp_path):
    files = {"mail.spool": b"", "notes.spool": b"something", "r.db.tmp-prof": b"", "r.db.tmp12": b"", ".tmp-prof7": b"",
             "r.db.tmp-prof12": b"", "r.db.tmp-prof12-0123cdeg": b""}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.spool").mkdir()
    (tmp_path / "link.spool").symlink_to("mail.spool")
    (tmp_path / "link.db.tmp-prof999999999-0123cdef").symlink_to("mail.spool")
    done = prof("stats", "no.db", cwd=tmp_path)
    assert done.stderr.count("\n") == 1
    assert set(os.listdir(tmp_path)) == {*files, "folder.spool", "link.spool", "link.db.tmp-prof999999999-0123cdef"}


def test_a_running_prof_is_left_alone(tmp_path):
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", "-o", "r.db", "sh", "-c", f"{EVENTS} read line"],
                               cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "r.db.spool").exists():
        time.sleep(0.01)
    for _ in range(3):
        assert not commands(prof("profile", "-o", "next%n.db", "true", cwd=tmp_path).stderr)
    _, err = process.communicate("\n", timeout=60)
    assert process.returncode in (0, 1) and "deleted" not in err and (tmp_path / "r.db").exists()


def test_a_recording_whose_report_is_written(folder, recording):
    """prof was killed between the last step of the report and the removal of the recording."""
    assert prof("recover", "r.db.spool", cwd=folder).returncode == 0
    before = (folder / "r.db").read_bytes()
    shutil.copy(recording, folder / "r.db.spool")
    assert not commands(prof("stats", "r.db", cwd=folder).stderr)
    assert os.listdir(folder) == ["r.db"] and (folder / "r.db").read_bytes() == before


def test_reports_of_ranges_that_are_written_in_part(tmp_path):
    ranges = ["-c", "nvtx", "-p", "outer of one", "--capture-range-end=repeat", "-t", "nvtx"]
    script = f"{program('nvtx_payloads')}; sleep 0.3; {KILL_PROF}"
    prof("profile", *ranges, "-o", "r.db", "sh", "-c", script, cwd=tmp_path)
    shutil.copy(tmp_path / "r.db.spool", tmp_path / "copy")
    assert run_command("prof recover r.db.spool", tmp_path).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["copy", "r.1.db", "r.2.db"]
    (tmp_path / "r.2.db").unlink()
    (tmp_path / "copy").rename(tmp_path / "r.db.spool")
    command, = commands(prof("stats", "no.db", cwd=tmp_path).stderr)
    done = run_command(command, tmp_path)
    assert done.returncode == 0 and "r.1.db is a report of this recording already" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["r.1.db", "r.2.db"]


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGQUIT], [signal.SIGINT, signal.SIGINT]])
def test_a_signal_while_the_report_is_written(tmp_path, signals):
    process = subprocess.Popen([str(PROF), "profile", "-t", "nvtx", "-o", "r.db", program("nvtx_flood"), "50000"],
                               cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("r.db.tmp*")):
        time.sleep(0.001)
    process.send_signal(signals[0])
    heard = process.stderr.readline() + process.stderr.readline() if len(signals) > 1 else ""
    process.send_signal(signals[-1])
    _, err = process.communicate(timeout=60)
    if process.returncode == 0 or (tmp_path / "r.db").exists():
        assert not list(tmp_path.glob("*.spool"))
        pytest.skip("the report was written before the signal arrived")
    assert not heard or "Interrupt again" in heard
    assert process.returncode == -signals[-1] and commands(err) == ["prof recover r.db.spool"]
    assert os.listdir(tmp_path) == ["r.db.spool"]
    assert run_command(commands(err)[0], tmp_path).returncode == 0
    assert len(Report(tmp_path / "r.db").nvtx(59)) == 50000


def test_kills_at_random_moments(tmp_path):
    """./dev suites kills does this 1,000 times."""
    done = subprocess.run([sys.executable, "-B", str(SOURCE / "tests" / "suites" / "kills.py"), "--build", str(BUILD),
                           "--kills", "24", "--calls", "16", "--seed", "5"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "40 kills, 0 with a problem" in done.stdout
