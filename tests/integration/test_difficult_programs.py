"""Difficult programs: traced if possible, reported if not, never broken. Their output and status are compared
with a run without prof. docs/pitfalls.md is the list."""
import os
import shutil
import subprocess

import pytest
from difficult_runs import LIBRARIES, NOBODY, both, check, compiled, fixture_open_path, is_root, works
from profiling import profile, program

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
        assert report.done.returncode == 5, "nobody cannot read /dev/zero here: the program ends after its first read"
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
