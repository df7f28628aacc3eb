"""Programs in shells, namespaces and other roots, under limits and tracers: traced if possible, reported if not,
never broken. docs/pitfalls.md is the list."""
import os
import shutil
import subprocess

import pytest
from difficult_runs import NOBODY, both, check, compiled, fixture_open_path, has_namespaces, is_root, works
from profiling import HAS_SANITIZER, PROF, Report, prof, program

# Shells, namespaces, chroot.

SHELL_SCRIPTS = ["f() { echo f$1; }; export -f f 2>/dev/null; {plain}; echo $?; (exit 3) | cat; exit 4",
                 "unset LD_PRELOAD PROF_SESSION; {plain}; exit 4",
                 "export LD_PRELOAD=; {plain}; exit 4",
                 "env -i {plain}; exit 4",
                 "exec 3>&- 4>&- 9>/dev/null; trap 'echo bye' EXIT; {plain} & wait; ulimit -n 12; {plain} >&9"]


@pytest.mark.parametrize("shell", ["bash", "dash"])
@pytest.mark.parametrize("number", range(len(SHELL_SCRIPTS)))
def test_shells(tmp_path, shell, number):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    script = SHELL_SCRIPTS[number].replace("{plain}", program("plain"))
    if shell == "dash":
        script = script.replace("export -f f 2>/dev/null", "true")
    report = both(tmp_path, shell, "-c", script)
    assert report.calls()["read"] >= 10 * (2 if number == 4 else 1)


NAMESPACES = {
    "all": "{plain}",
    "no proc": "mount -t tmpfs x /proc && {plain}",
    "read-only tmp": "mount --bind -o ro /var /tmp 2>/dev/null; {plain}",
    "small shm": "mount -t tmpfs -o size=64k x /dev/shm && {plain}",
    "no shm": "mount -t tmpfs -o ro x /dev/shm && {plain}",
    "a root of its own": "mount --rbind / /mnt && {plain} chroot /mnt {plain}",
}


@pytest.mark.skipif(not has_namespaces(), reason="this user may not make name spaces")
@pytest.mark.parametrize("kind", NAMESPACES)
def test_namespaces(tmp_path, kind):
    script = NAMESPACES[kind].replace("{plain}", program("plain"))
    report = both(tmp_path, "unshare", "-Urnmp", "--fork", "--mount-proc", "sh", "-c", script)
    # If another /tmp hides the session, the program runs untraced.
    assert report.calls()["read"] in ((10,) if kind != "read-only tmp" else (0, 10))


@is_root
@pytest.mark.parametrize("inside", [False, True])
def test_roots_without_us(tmp_path, inside):
    """After chroot a running program is still traced. A program that starts there finds neither the library nor
    the session."""
    root = tmp_path / "root"
    (root / "dev").mkdir(parents=True)
    (root / "dev" / "zero").write_bytes(bytes(1000))
    words = [program("plain"), "chroot", str(root)]
    if inside:
        static = compiled(tmp_path, "gcc", "-static")
        shutil.copy(static, root / "static")
        words.append("/static")
    report = both(tmp_path, *words)
    assert report.calls()["read"] == (0 if inside else 10)


# Limits.

@pytest.mark.parametrize("limit", ["-n 3", "-n 4", "-n 5", "-n 6", "-v 8000", "-v 20000", "-v 100000", "-v 300000",
                                   "-u 1", "-f 1", "-f 0", "-c 0", "-c 100", "-s 64", "-s unlimited",
                                   "-l 0", "-l 64", "-d 20000"])
def test_limits(tmp_path, limit):
    script = f"ulimit {limit} && exec {program('plain')}"
    plain = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           check=False, text=True)
    if plain.returncode != 5:
        pytest.skip("the program does not run so, prof or not")
    report = both(tmp_path, "bash", "-c", script)
    if limit == "-n 4" and "no descriptor" in report.done.stderr:
        return  # one descriptor is free, which is enough if prof need not be asked
    assert report.calls()["read"] == 10, report.diagnostics()


def test_the_whole_session_under_a_limit(tmp_path):
    """The limit applies to prof too: it does its work or says what it cannot do."""
    small = subprocess.run(["bash", "-c", f"ulimit -f 1; exec {PROF} profile -o {tmp_path}/r.db true"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    assert small.returncode == 1 and "ulimit -f" in small.stderr
    limits = ["-n 64", "-f 100000", "-u 200"]
    if not HAS_SANITIZER:  # the shadow memory takes terabytes of addresses
        limits.append("-v 4000000")
    for limit in limits:
        done = subprocess.run(
            ["bash", "-c", f"ulimit {limit}; exec {PROF} profile -f -o {tmp_path}/r.db {program('plain')}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        assert done.returncode == 5, (limit, done.stderr)


@pytest.mark.parametrize("way", ["address", "core"])
def test_limits_that_programs_set(tmp_path, way):
    check(both(tmp_path, program("own_limits"), way))


@is_root
def test_locked_memory(open_path):
    environment = dict(os.environ, TMPDIR=str(open_path))
    environment.pop("XDG_RUNTIME_DIR", None)
    report = both(open_path, program("own_limits"), "lock", prefix=NOBODY, env=environment)
    assert "lock 0" in report.done.stdout
    check(report)
    check(both(open_path, program("own_limits"), "lock", name="root.db"))


def test_descriptors(tmp_path):
    check(both(tmp_path, program("descriptor_games")))


# Stacks, tracers, memory.

@pytest.mark.parametrize("way", ["calls", "spawn", "spawnp", "fork"])
def test_tight_stacks(tmp_path, way):
    report = both(tmp_path, program("tight_stacks"), way)
    assert report.calls()["write"] >= report.expected()["write"]


def test_coroutines(tmp_path):
    check(both(tmp_path, program("coroutines")))


def test_a_program_that_traces_its_child(tmp_path):
    report = both(tmp_path, program("traces_child"))
    assert report.calls()["write"] >= report.expected()["write"] + 50


@pytest.mark.parametrize("tracer", ["strace", "gdb"])
def test_under_a_tracer(tmp_path, tracer):
    if shutil.which(tracer) is None or not works("strace", "-o", "/dev/null", "true"):
        pytest.skip(f"no {tracer} here, or it may not trace")
    words = {"strace": ["strace", "-f", "-o", "/dev/null"],
             "gdb": ["gdb", "-q", "-batch", "-ex", "run", "-ex", "quit $_exitcode", "--args"]}[tracer]
    done = prof("profile", "-t", "osrt", "--osrt-threshold", "0", "-o", tmp_path / "r.db", "--", *words,
                program("plain"))
    assert done.returncode == 5, done.stderr
    assert Report(tmp_path / "r.db", done).calls()["read"] >= 10


# Folders for prof's temporary files.

def test_long_and_full_folders_for_temporary_files(tmp_path):
    deep = tmp_path.joinpath(*["a-very-long-name-of-a-folder"] * 6)
    deep.mkdir(parents=True)
    environment = dict(os.environ, TMPDIR=str(deep))
    environment.pop("XDG_RUNTIME_DIR", None)
    check(both(tmp_path, program("plain"), env=environment), "read")
    check(both(tmp_path, program("plain"), env=dict(environment, TMPDIR=str(tmp_path / "missing"))), "read")


@pytest.mark.skipif(not has_namespaces(), reason="this user may not make name spaces")
@pytest.mark.parametrize("mount", ["size=4k,nr_inodes=2", "ro"])
def test_folders_that_take_nothing(tmp_path, mount):
    """The session moves to /tmp."""
    folder = tmp_path / "full"
    folder.mkdir()
    script = (f"mount -t tmpfs -o {mount} x {folder}; touch {folder}/f 2>/dev/null; TMPDIR={folder} XDG_RUNTIME_DIR= "
              f"exec {PROF} profile -t osrt --osrt-threshold 0 -f -o {tmp_path}/r.db {program('plain')}")
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", script], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 5, done.stderr
    check(Report(tmp_path / "r.db", done), "read")
