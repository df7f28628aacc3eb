"""What a prof of another namespace, or of another user, sees and leaves alone: folders of living recordings, memory of
killed flight recorders, names in /tmp."""
import fcntl
import os
import signal
import subprocess
import tempfile
import time

import pytest
from difficult_runs import has_namespaces
from flight import flights, folders, requests  # noqa: F401
from profiling import PROF, Report, prof, program
from sessions import consecutive, sessions  # noqa: F401
from test_security import needs_root

# As root, or as root of a new user namespace.
NEW_PROCESSES = ["unshare", "-Urpfm", "--mount-proc"]
NEW_MOUNTS = ["unshare", "-Urm"]
needs_namespaces = pytest.mark.skipif(not has_namespaces(), reason="this user may not make name spaces")
SERVES = "for i in 1 2 3 4 5 6; do dd if=/dev/zero of=/dev/null count=200 status=none; sleep 0.3; done"


def run(*words, **options):
    return subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=120, **options)


@needs_namespaces
def test_a_recording_is_not_disturbed_by_a_prof_that_does_not_see_its_process(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("XDG_RUNTIME_DIR", None)
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", "--osrt-threshold=0", "-o", tmp_path / "r.db", "sh", "-c",
                                SERVES], stderr=subprocess.PIPE, text=True, env=environment)
    while not list(tmp_path.glob("prof-*/control")):
        time.sleep(0.01)
    for _ in range(3):
        assert "no.db" in run(*NEW_PROCESSES, PROF, "stats", "no.db", env=environment, cwd=tmp_path).stderr
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "deleted" not in err
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM PROCESSES") == 13
    assert sorted(os.listdir(tmp_path)) == ["r.db"]


@needs_namespaces
@pytest.mark.parametrize("name", ["r.db.tmp-prof999999999-01234567", "r.db.tmp-prof1-01234567"])
def test_a_half_written_file_is_not_judged_by_its_pid(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"half a report")
    with path.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for prefix in ([], NEW_PROCESSES):
            run(*prefix, PROF, "stats", "no.db", cwd=tmp_path)
            assert path.exists()
    run(*NEW_PROCESSES, PROF, "stats", "no.db", cwd=tmp_path)
    assert not path.exists()


@needs_namespaces
@pytest.mark.parametrize("hidden", ["the folder of the recording", "a folder above it", "the recording's name"])
def test_a_flight_recorder_is_recovered_that_another_file_tree_does_not_show(flights, tmp_path, hidden):  # noqa: F811
    server = flights(command=[program("commanded_server")])
    last = server.serve(1.2)
    time.sleep(0.3)  # until it is drained
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()
    folder, = folders(server.process.pid)
    if hidden == "the recording's name":
        (tmp_path / "r.db.spool").rename(tmp_path / "moved.db.spool")
        run(PROF, "profile", "-o", tmp_path / "other", "true")
        spool, report = tmp_path / "moved.db.spool", tmp_path / "moved.db"
    else:
        covered = tmp_path if hidden == "the folder of the recording" else tmp_path.parent
        done = run(*NEW_MOUNTS, "sh", "-c", 'mount -t tmpfs none "$1" && "$2" profile -o "$1/o" true', "-", covered, PROF,
                   cwd="/")
        assert done.returncode == 0, done.stderr
        spool, report = tmp_path / "r.db.spool", tmp_path / "r.db"
    assert folder.exists()
    done = prof("recover", spool)
    assert done.returncode == 0, done.stderr
    assert consecutive(sorted(requests(Report(report))))[-1] >= last - 1 and not folder.exists()


@needs_root
@needs_namespaces
@pytest.mark.parametrize("taken", ["folder", "file"])
def test_another_user_has_the_name_of_the_folder_for_sessions(tmp_path, taken):
    """In /tmp everybody can create everything."""
    tree = PROF.parent.parent
    script = f"""
mount --bind {tree} /mnt && mount -t tmpfs -o mode=1777 none /tmp && mkdir -p {tree} && mount --bind /mnt {tree}
[ ! -d /run/user ] || mount -t tmpfs none /run/user
[ {taken} = folder ] && mkdir -m 700 /tmp/prof-0 || touch /tmp/prof-0
chown 65534 /tmp/prof-0
{PROF} launch --session-new=own sleep 60 &
while ! {PROF} sessions list | grep -q own; do sleep 0.1; done
ls -d /tmp/prof-0.*
{PROF} shutdown --session=own --kill=sigkill
while ls -d /tmp/prof-0.* >/dev/null 2>&1; do sleep 0.1; done
ls -d /tmp/prof-0*
"""
    environment = {name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "TMPDIR")}
    done = run("unshare", "-m", "sh", "-c", script, env=environment, cwd="/")
    own, *left = done.stdout.split()
    assert own.startswith("/tmp/prof-0.") and left == ["/tmp/prof-0"], (done.stdout, done.stderr)


@needs_root
@needs_namespaces
def test_no_place_for_sessions_is_one_clear_line():
    """Only TMPDIR is writable: it is used. Nothing is: the message says what to do."""
    script = f"""
mount -t tmpfs -o size=1M none /mnt && mount --bind -o ro / /tmp && [ ! -d /run/user ] || mount --bind -o ro / /run/user
{PROF} launch true; echo $?; TMPDIR=/mnt {PROF} launch true; echo $?
"""
    if str(PROF).startswith("/tmp/"):
        pytest.skip("prof lies in /tmp")
    environment = {name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "TMPDIR")}
    done = run("unshare", "-m", "sh", "-c", script, env=environment, cwd="/")
    assert done.stdout.split() == ["1", "0"] and "XDG_RUNTIME_DIR or TMPDIR" in done.stderr, done.stderr


def test_copies_of_killed_live_views_are_removed(sessions, tmp_path):  # noqa: F811
    launched = sessions.running("-t", "osrt", program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    for words in (["view", "--no-browser", "--session=[default]"], ["top", "--json", "[default]"]):
        looking = subprocess.Popen([str(PROF), *words], stdout=subprocess.PIPE, text=True, env=sessions.environment)
        looking.stdout.readline()
        looking.kill()
        looking.communicate()
    assert len(list(sessions.folder.glob("prof-live-*"))) == 2
    sessions.works("profile", "-o", tmp_path / "other", "true")
    assert not list(sessions.folder.glob("prof-live-*"))
    sessions.works("shutdown", "--kill=sigkill")
    launched.communicate(timeout=60)


def test_recordings_that_start_at_once_have_different_names(tmp_path):
    for _ in range(3):
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            started = [subprocess.Popen([str(PROF), "profile", "sh", "-c", "echo ran"], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
            ended = [(*process.communicate(timeout=120), process.returncode) for process in started]
            assert [(out, status) for out, _, status in ended] == [("ran\n", 0)] * 8, ended
            assert sorted(os.listdir(folder)) == [f"report{number}.db" for number in range(1, 9)]


def test_only_the_user_can_read_reports(tmp_path):
    """They have command lines. Whatever the umask is."""
    seen = "stat -c %a r.db.spool"
    for umask in (0, 0o022, 0o777):
        before = os.umask(umask)
        try:
            done = prof("profile", "-f", "true", "-t", "osrt", "--osrt-threshold=0", "-o", "r.db", "sh", "-c", seen, cwd=tmp_path)
            assert (done.returncode, done.stdout) == (0, "600\n"), done.stderr
            for kind in ("json", "sqlite", "text"):
                done = prof("export", "-f", "true", "-t", kind, "-o", f"e.{kind}", "r.db", cwd=tmp_path)
                assert done.returncode == 0, done.stderr
        finally:
            os.umask(before)
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        assert modes == {"r.db": 0o600, "e.json": 0o600, "e.sqlite": 0o600, "e.text": 0o600}


def test_a_collection_that_waits_keeps_its_name(sessions, tmp_path):  # noqa: F811
    """prof start before prof launch: the report's name is chosen long before the recording exists."""
    sessions.works("start", cwd=tmp_path)
    sessions.works("profile", "true", cwd=tmp_path)
    launched = sessions.launch("true", cwd=tmp_path)
    assert launched.wait(60) == 0
    sessions.wait_for(lambda states: not states)
    deadline = time.monotonic() + 60
    while (names := sorted(os.listdir(tmp_path))) != ["report1.db", "report2.db"]:
        assert time.monotonic() < deadline, names
        time.sleep(0.02)


def test_collections_that_start_at_once_have_different_names(sessions, tmp_path):  # noqa: F811
    names = [f"s{number}" for number in range(6)]
    launched = [sessions.launch(f"--session-new={name}", "-t", "osrt", program("numbered_ranges"), 60, cwd=tmp_path)
                for name in names]
    sessions.wait_for(lambda states: states == dict.fromkeys(names, "Launched"))
    started = [subprocess.Popen([str(PROF), "start", f"--session={name}"], cwd=tmp_path, env=sessions.environment,
                                stderr=subprocess.PIPE, text=True) for name in names]
    assert [(process.communicate(timeout=60)[1], process.returncode) for process in started] == [("", 0)] * 6
    assert not list(tmp_path.glob("*.tmp-prof*"))
    for name in names:
        sessions.works("shutdown", f"--session={name}", "--kill=sigkill")
    for process in launched:
        process.communicate(timeout=60)
    assert sorted(os.listdir(tmp_path)) == [f"report{number}.db" for number in range(1, 7)]
