"""Difficult programs: traced if possible, reported if not, never broken. Their output and status are compared
with a run without prof. docs/pitfalls.md is the list."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from profiling import HAS_SANITIZER, PROF, Report, prof, profile, program, source_of

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
LIBRARIES = "/usr/lib/x86_64-linux-gnu"

is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def works(*command):
    """Returns whether this machine can run the command."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              timeout=20).returncode == 0
    except OSError:
        return False


def has_namespaces():
    return works("unshare", "-Urnmp", "--fork", "--mount-proc", "true")


def says(stderr):
    """The program's own lines of stderr, without prof's messages."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines
                   if not line.startswith(("prof: ", "Generated:")) and not re.match(r"\t/.*\.db$", line))


def both(tmp_path, *command, options=(), prefix=(), name="r.db", reported=None, **run_options):
    """Runs a command without and with prof, and compares everything that is visible from outside."""
    command = [str(word) for word in command]
    options = ["-t", "nvtx,osrt", "--osrt-threshold", "0", "-f", "true", *options]
    run_options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60,
                   "stdin": subprocess.DEVNULL, **run_options}
    plain = subprocess.run([*prefix, *command], check=False, **run_options)
    path = tmp_path / name
    done = subprocess.run([*prefix, str(PROF), "profile", *options, "-o", str(path), "--", *command],
                          check=False, **run_options)
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    seen = (done.returncode, done.stdout, says(done.stderr))
    assert seen == (status, plain.stdout, plain.stderr), done.stderr
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics()
                if ("dropped" in text and "CPU samples" not in text) or "amaged" in text]
    if reported is not None:  # both in the report and to the user
        assert any(reported in text for text in report.diagnostics()), report.diagnostics()
        assert reported in done.stderr
    return report


def check(report, function="write"):
    assert report.calls()[function] == report.expected()[function]


def compiled(tmp_path, compiler, *options, source="plain", name="built"):
    """Compiles a program of tests/programs in another way. Skips the test if that is not possible."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    out = tmp_path / name
    done = subprocess.run([compiler, "-pthread", str(source_of(f"{source}.c")), "-o", str(out), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{compiler} {' '.join(options)} does not work here")
    tmp_path.chmod(0o755)
    return str(out)


@pytest.fixture(name="open_path")
def fixture_open_path():
    """A folder that every user may enter and write to. It is not below tmp_path, because pytest closes that to
    others."""
    with tempfile.TemporaryDirectory(prefix="prof-test-") as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)


# Programs that LD_PRELOAD does not affect, as the program itself and as a child.

def program_for_i386(tmp_path):
    source = tmp_path / "i386.s"
    source.write_text(".globl _start\n_start: movl $1,%eax\nmovl $5,%ebx\nint $0x80\n")
    done = works("as", "--32", source, "-o", tmp_path / "i386.o") and works(
        "ld", "-m", "elf_i386", tmp_path / "i386.o", "-o", tmp_path / "i386")
    if not done:
        pytest.skip("no assembler for i386 here")
    try:
        subprocess.run([tmp_path / "i386"], check=False)
    except OSError:
        pytest.skip("this kernel runs no 32-bit programs")
    return str(tmp_path / "i386")


def program_in_go(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("no go here")
    (tmp_path / "main.go").write_text("package main\nimport \"os\"\nfunc main() { os.Exit(5) }\n")
    environment = dict(os.environ, CGO_ENABLED="0", GOCACHE=str(tmp_path / "cache"), GO111MODULE="off")
    if subprocess.run(["go", "build", "-o", "ingo", "main.go"], cwd=tmp_path, env=environment,
                      check=False).returncode != 0:
        pytest.skip("go does not build here")
    return str(tmp_path / "ingo")


UNREACHED = {
    "static": (lambda path: compiled(path, "gcc", "-static"), "statically linked"),
    "static-pie": (lambda path: compiled(path, "gcc", "-static-pie"), "statically linked"),
    "musl": (lambda path: compiled(path, "musl-gcc"), "glibc"),
    "musl-static": (lambda path: compiled(path, "musl-gcc", "-static"), "statically linked"),
    "i386": (program_for_i386, "not an x86-64 program"),
    "go": (program_in_go, "statically linked"),
}


@pytest.mark.parametrize("kind", UNREACHED)
def test_programs_that_a_preload_does_not_reach(tmp_path, kind):
    build, words = UNREACHED[kind]
    path = build(tmp_path)
    both(tmp_path, path, reported=words)
    for way in ([program("plain"), path], ["sh", "-c", f"{path}; {path}; exit 3"],
                ["/usr/bin/python3", "-c", f"import subprocess; subprocess.run(['{path}'])"]):
        report = both(tmp_path, *way, reported=words)
        reported = [text for text in report.diagnostics() if words in text]
        assert reported == [text for text in reported if path in text] and len(reported) == 1


def test_a_script_of_a_static_interpreter(tmp_path):
    interpreter = compiled(tmp_path, "gcc", "-static", source="static_program")
    script = tmp_path / "script"
    script.write_text(f"#! {interpreter}\n")
    script.chmod(0o755)
    for way in ([script], ["sh", "-c", f"{script}; exit 3"]):
        report = both(tmp_path, *way, reported="statically linked")
        assert any(interpreter in text for text in report.diagnostics())


def test_children_of_static_shells_are_traced(tmp_path):
    if shutil.which("busybox") is None:
        pytest.skip("no busybox here")
    check(both(tmp_path, "busybox", "sh", "-c", f"{program('plain')}; exit 3"), "read")


@is_root
@pytest.mark.parametrize("kind", ["user", "group", "capabilities"])
@pytest.mark.parametrize("fixed", [False, True])
def test_programs_with_rights_of_their_own(open_path, kind, fixed):
    path = shutil.copy(program("plain"), open_path / "privileged")
    if kind == "capabilities":
        if not works("setcap", "cap_net_raw+ep", path):
            pytest.skip("no setcap here, or a file system without attributes")
    else:
        os.chmod(path, 0o4755 if kind == "user" else 0o2755)
    words = "file capabilities"
    environment = dict(os.environ, TMPDIR=str(open_path))
    environment.pop("XDG_RUNTIME_DIR", None)
    prefix = [*NOBODY[:-1], *(["--no-new-privs"] if fixed else []), "--"]
    for way in ([path], [program("plain"), path]):
        report = both(open_path, *way, prefix=prefix, env=environment, reported=None)
        # A program that cannot gain rights is traced like any other, unless it has file capabilities.
        traced = fixed and kind != "capabilities"
        assert any("set-" in text or words in text for text in report.diagnostics()) == (not traced)
        assert report.calls()["read"] == (10 if traced else 0)


@is_root
def test_a_program_that_becomes_another_user(tmp_path):
    path = shutil.copy(program("plain"), tmp_path / "privileged")
    os.chown(path, 65534, 65534)
    os.chmod(path, 0o4755)
    tmp_path.chmod(0o755)
    both(tmp_path, program("plain"), path, reported="rights that its caller does not have")
    os.chown(path, 0, 0)  # set-user-id to the own user
    os.chmod(path, 0o4755)
    check(both(tmp_path, program("plain"), path), "read")


# Sanitizers, other preloaded libraries, variables of the dynamic linker.

SANITIZERS = [("address", "asan"), ("undefined", "ubsan"), ("thread", "tsan"), ("leak", "lsan")]


@pytest.mark.parametrize("sanitizer, library", SANITIZERS)
@pytest.mark.parametrize("linked", ["shared", "static"])
def test_sanitizers(tmp_path, sanitizer, library, linked):
    options = [f"-fsanitize={sanitizer}", *([f"-static-lib{library}"] if linked == "static" else [])]
    path = compiled(tmp_path, "gcc", *options)
    if not subprocess.run([path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout:
        pytest.skip("such programs do not run here, prof or not")
    check(both(tmp_path, path), "read")
    check(both(tmp_path, "sh", "-c", f"{path}; exit 3"), "read")  # a child loads the runtime after us


def preload(name):
    path = f"{LIBRARIES}/{name}"
    if not os.path.exists(path):
        pytest.skip(f"no {name} here")
    return path


def runtime_of_asan():
    done = subprocess.run(["gcc", "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True,
                          check=False).stdout.strip()
    if not os.path.exists(done):
        pytest.skip("no libasan here")
    return os.path.realpath(done)


PRELOADS = {
    "jemalloc": lambda: preload("libjemalloc.so.2"),
    "tcmalloc": lambda: preload("libtcmalloc_minimal.so.4"),
    "faketime": lambda: preload("faketime/libfaketime.so.1"),
    "asan": runtime_of_asan,
    "blanks": lambda: f" {preload('libjemalloc.so.2')}  {preload('faketime/../libdl.so.2')} ",
    "colons": lambda: f":{preload('libjemalloc.so.2')}::",
    "empty": lambda: "",
}


@pytest.mark.parametrize("other", PRELOADS)
def test_other_preloads(tmp_path, other):
    value = PRELOADS[other]()
    environment = dict(os.environ, FAKETIME="-1d")
    check(both(tmp_path, "env", f"LD_PRELOAD={value}", program("plain"), env=environment), "read")
    check(both(tmp_path, program("plain"), options=["-e", f"LD_PRELOAD={value}"], env=environment),
          "read")


def test_preloads_that_are_missing(tmp_path):
    check(both(tmp_path, "env", "LD_PRELOAD=/missing.so:gone.so", program("plain")), "read")


@pytest.mark.parametrize("variables", [
    {"LD_BIND_NOW": "1"}, {"LD_AUDIT": "libaudit_library.so"}, {"LD_DEBUG_OUTPUT": "/dev/null"}])
def test_variables_of_the_linker(tmp_path, variables):
    values = [f"{name}={program(value) if value.startswith('lib') else value}"
              for name, value in variables.items()]
    check(both(tmp_path, "env", *values, program("plain")), "read")


def test_ways_to_open_libraries(tmp_path):
    """Libraries that bind to libc directly, or in another namespace, work and are not traced."""
    check(both(tmp_path, program("dlopen_ways")))


def test_old_versions_of_functions(tmp_path):
    """A caller gets the version that the loader would give it without us."""
    plain = subprocess.run(program("symbol_versions"), stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    report = profile(tmp_path, program("symbol_versions"), options=["--osrt-threshold", "0"])
    lines = report.done.stdout.splitlines()
    assert lines[:-1] == plain.stdout.splitlines()[:-1]
    seen = {way: {line.split()[1]: line.split()[2] for line in lines if line.startswith(way + " ")}
            for way in ("program", "old", "unversioned")}
    assert set(seen["program"].values()) == {"new", "0"} and set(seen["old"].values()) == {"old", "0"}
    # Without a version a caller gets the first one of the x86-64 port; this function is younger.
    assert {name for name, version in seen["unversioned"].items() if version == "new"} == {"quick_exit"}
    calls = report.calls()
    assert {name: calls[name] for name in report.expected()} == report.expected()


# Sandboxes.

@pytest.mark.parametrize("way", ["kill", "kill_prctl", "trap", "refuse"])
def test_sandboxes(tmp_path, way):
    report = both(tmp_path, program("sandboxes"), way)
    check(report)
    assert any("seccomp" in text for text in report.diagnostics())


@pytest.mark.parametrize("way", ["strict", "strict_raw", "no_clock"])
def test_where_reading_the_clock_is_forbidden(tmp_path, way):
    report = both(tmp_path, program("sandboxes"), way)
    assert any("gave up the right to read the clock" in text for text in report.diagnostics())
    assert report.calls()["write"] <= 1  # called before: the line of JSON


@pytest.mark.parametrize("how", ["kill", "trap", "refuse"])
def test_programs_that_start_in_a_sandbox(tmp_path, how):
    """A filter stays after exec, and would apply to prof's constructor."""
    report = both(tmp_path, program("sandboxes"), "start", how, program("plain"))
    assert any("seccomp" in text for text in report.diagnostics())
    assert report.calls()["read"] == 0


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
