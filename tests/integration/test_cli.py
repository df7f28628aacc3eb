"""The command line: nsys's spellings, names of outputs, invalid input."""
import json
import os
import re
import shutil
import socket
import subprocess

import pytest
from profiling import PROF, Report, prof, profile


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("report"), "sh", "-c", "sleep 0.01; echo hello")


def fails(done, status, *words):
    """Asserts a one-line error that says what to do, and the exit status."""
    assert done.returncode == status, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("prof: "), done.stderr
    for word in words:
        assert word in lines[0], lines[0]


# --- help

def test_help_and_version():
    assert "profile" in prof("--help").stdout and prof("--help").returncode == 0
    assert prof().returncode == 2
    assert prof("--version").stdout.startswith("prof ")
    for verb in ("profile", "info", "stats", "analyze", "diff", "export", "status", "recover", "completion"):
        done = prof(verb, "--help")
        assert done.returncode == 0 and "Example" in done.stdout, verb


def test_completion_is_valid_shell(tmp_path):
    script = prof("completion", "bash").stdout

    def complete(*words, cwd=None):
        line = " ".join(f"'{word}'" for word in ("prof", *words))
        command = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _prof; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, text=True, check=True,
                              cwd=cwd).stdout.split()
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    words = subprocess.run(
        ["bash", "-c", script + "\nCOMP_WORDS=(prof st); COMP_CWORD=1; _prof; echo ${COMPREPLY[@]}"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert words == ["start", "stop", "stats", "status", "stack"]
    assert complete("stats", "-r", "cuda_api_s") == ["cuda_api_sum"]
    assert complete("profile", "--trace", "=", "cuda,nvt") == ["cuda,nvtx"]
    assert complete("profile", "-t", "osr") == ["osrt"] and complete("profile", "-s", "sys") == ["system-wide"]
    assert complete("export", "--type", "=", "") == [
        "sqlite", "jsonlines", "json", "text", "hdf", "arrow", "arrowdir", "parquetdir", "info", "perfetto", "chrome",
        "collapsed", "speedscope", "pprof", "firefox", "run"]
    assert complete("profile", "--stats", "=", "") == ["true", "false"]
    assert complete("facts", "--errors", "=", "") == ["text", "json"]
    assert complete("profile", "-s", "no") == ["none"]
    assert complete("profile", "-t", "none", "--osrt-thr") == ["--osrt-threshold"]
    assert complete("profile", "ls", "--osrt-thr") == [] and "ls" in complete("profile", "ls")
    assert complete("profile", "--stats", "tru") != ["true"]  # the program
    assert complete("help", "an") == ["analyze"] and complete("completion", "f") == ["fish"]
    (tmp_path / "r.db").touch()
    assert complete("stats", "", cwd=tmp_path) == ["r.db"]  # no commands
    assert "--osrt-threshold" in prof("completion", "fish").stdout.replace("-l ", "--")
    assert prof("completion", "zsh").stdout.startswith("#compdef prof")
    fails(prof("completion", "tcsh"), 2, "bash, zsh or fish")


def test_status():
    document = json.loads(prof("status", "--json").stdout)
    assert document["osrt"]["available"] and document["nvtx"]["available"]
    text = prof("status").stdout
    assert "osrt" in text and "cuda" in text


def test_status_lists_the_traced_functions():
    groups = {group["group"]: group["functions"]
              for group in json.loads(prof("status", "--osrt", "--json").stdout)["osrt"]}
    assert {"read", "openat64"} <= set(groups["file"]) and "mtx_lock" in groups["lock"]
    lines = prof("status", "--osrt").stdout.splitlines()
    assert f"Locks ({len(groups['lock'])})" in lines and max(map(len, lines)) <= 100
    listed = {word for line in lines if line.startswith("  ") for word in line.split()}
    assert listed == {name for names in groups.values() for name in names}


# --- options in nsys's manner

@pytest.mark.parametrize("options", [
    ["--trace=nvtx,osrt", "--output", "{}", "--force-overwrite=true"],
    ["--trace", "nvtx,osrt", "--output={}", "--force-overwrite", "true"],
    ["-t", "nvtx,osrt", "-o", "{}", "-f", "true"],
    ["-tnvtx,osrt", "-o{}", "-ftrue"],
    ["-t", "nvtx,osrt", "-o", "{}", "-f"],
    ["-t", "nvtx,osrt", "-o", "{}", "-f", "--"],
])
def test_spellings(tmp_path, options):
    path = tmp_path / "out.db"
    path.write_text("old")
    done = prof("profile", *[word.format(path) for word in options], "echo", "-o", "--trace=x")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "-o --trace=x\n"  # options of the command are passed on unchanged
    assert Report(path).value("PRAGMA integrity_check") == "ok"


def has_cuda_headers():
    cache = (PROF.parents[1] / "CMakeCache.txt").read_text()
    return "PROF_CUDA_INCLUDE:PATH=/" in cache


def test_status_of_cuda_follows_the_build():
    cuda = json.loads(prof("status", "--json").stdout)["cuda"]
    has_driver = any(map(os.path.exists, ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg")))
    assert cuda["available"] == (has_cuda_headers() and has_driver)
    assert ("without the headers" if not has_cuda_headers() else
            "CUDA_INJECTION64_PATH" if has_driver else "no NVIDIA GPU driver") in cuda["detail"]


def test_a_program_without_cuda_is_traced_without_a_word(tmp_path):
    done = prof("profile", "-t", "cuda,osrt", "-o", tmp_path / "r.db", "sleep", "0.01")
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "CUDA" in line] == (
        [] if has_cuda_headers() else [
            "prof: CUDA is not traced: this build of prof was made without the headers of CUDA and CUPTI"])
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0


def test_an_existing_cuda_injection_is_kept_unless_forced(tmp_path):
    if not has_cuda_headers():
        pytest.skip("built without the headers of CUDA")
    command = ["sh", "-c", "echo $CUDA_INJECTION64_PATH"]
    environment = {**os.environ, "CUDA_INJECTION64_PATH": "/of/another.so"}
    kept = prof("profile", "-t", "cuda", "-o", tmp_path / "k.db", *command, env=environment)
    assert kept.stdout == "/of/another.so\n" and "--cuda-injection=force" in kept.stderr
    forced = prof("profile", "-t", "cuda-hw", "--cuda-injection=force", "-o", tmp_path / "f.db", *command,
                  env=environment)
    assert forced.stdout.endswith("libprof_inject.so\n") and "CUDA" not in forced.stderr


def test_a_libcupti_that_is_not_there_is_wrong_usage(tmp_path):
    fails(prof("profile", "-t", "cuda", "--cupti-path=missing.so", "-o", tmp_path / "r.db", "true"), 2,
          "no libcupti", "missing.so")


def test_stats_option_prints_statistics(tmp_path):
    done = prof("profile", "-t", "osrt", "--stats=true", "-o", tmp_path / "r.db", "sleep", "0.01")
    assert "OS Runtime Summary (osrt_sum)" in done.stdout


# --- names of outputs

def test_default_names_count_up(tmp_path):
    for number in (1, 2):
        done = prof("profile", "-t", "none", "true", cwd=tmp_path)
        assert done.returncode == 0
        assert (tmp_path / f"report{number}.db").exists()
        assert str(tmp_path / f"report{number}.db") in done.stderr


@pytest.mark.parametrize("pattern, name", [
    ("plain", "plain.db"), ("name.sqlite", "name.sqlite"), ("a%%b", "a%b.db"),
    ("%h", socket.gethostname() + ("" if "." in socket.gethostname() else ".db")),
    ("v-%q{PROF_TEST_VARIABLE}", "v-some value.db"), ("n%n-x", "n1-x.db")])
def test_name_patterns(tmp_path, pattern, name):
    done = prof("profile", "-t", "none", "-o", pattern, "true", cwd=tmp_path,
                env=dict(os.environ, PROF_TEST_VARIABLE="some value"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).exists()


def test_name_with_the_targets_pid(tmp_path):
    done = prof("profile", "-t", "none", "-o", "of-%p", "sh", "-c", "echo $$", cwd=tmp_path)
    assert (tmp_path / f"of-{done.stdout.strip()}.db").exists()


def test_bad_name_patterns(tmp_path):
    fails(prof("profile", "-o", "x%z", "true", cwd=tmp_path), 2, "%z", "%q{VARIABLE}")
    fails(prof("profile", "-o", "x%q{NOT_SET_AT_ALL}", "true", cwd=tmp_path), 2, "NOT_SET_AT_ALL")
    fails(prof("profile", "-o", str(tmp_path), "true"), 2, "is a directory")


# --- bad input to profile

def test_no_such_program(tmp_path):
    path = tmp_path / "r.db"
    fails(prof("profile", "-t", "none", "-o", path, "no-such-program"), 1, "no such program in PATH")
    fails(prof("profile", "-t", "none", "-o", path, "./no/such/file"), 1, "No such file")
    fails(prof("profile", "-t", "none", "-o", path, "/etc/passwd"), 1, "not executable")
    fails(prof("profile", "-t", "none", "-o", path, "/tmp"), 1, "directory")
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    fails(prof("profile", "-t", "none", "-o", path, script), 1, "/no/such/interpreter")
    fails(prof("profile"), 2, "no program to profile")
    assert list(tmp_path.iterdir()) == [script]


def test_empty_values(tmp_path):
    """An option without a value is never an internal error."""
    for verb in ("profile", "launch", "attach", "stats", "analyze", "diff", "export", "recover"):
        options = set(re.findall(r"--[a-z][a-z-]*", prof(verb, "--help-all").stdout + prof(verb, "--help").stdout))
        assert options, verb
        for option in options - {"--help", "--help-all", "--version", "--session"}:  # a recording of another test
            for words in ([f"{option}="], [option, ""]):
                done = prof(verb, *words, cwd=tmp_path, stdin=subprocess.DEVNULL)
                assert done.returncode in (0, 1, 2) and "internal error" not in done.stderr, (verb, words, done)
    for words in (["--command-file="], ["--command-file", ""]):
        fails(prof("profile", *words, "true"), 2, "--command-file")


def test_output_exists(tmp_path):
    path = tmp_path / "r.db"
    path.write_text("precious")
    fails(prof("profile", "-t", "none", "-o", path, "true"), 1, "exists", "-f true")
    assert path.read_text() == "precious"


def test_output_appears_while_the_program_runs(tmp_path):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "none", "-o", path, "sh", "-c", f"echo precious > {path}")
    assert done.returncode == 1 and "prof recover" in done.stderr
    assert path.read_text() == "precious\n"
    assert prof("recover", f"{path}.spool", "-o", tmp_path / "saved.db").returncode == 0
    assert Report(tmp_path / "saved.db").value("PRAGMA integrity_check") == "ok"


def test_unwritable_directory(tmp_path):
    fails(prof("profile", "-t", "none", "-o", "/proc/nowhere/r.db", "true"), 1, "cannot write",
          "No such file")
    fails(prof("profile", "-t", "none", "-o", tmp_path / "no" / "r.db", "true"), 1, "cannot write")
    if os.geteuid() != 0:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        fails(prof("profile", "-t", "none", "-o", locked / "r.db", "true"), 1, "Permission denied")


def test_unknown_options_traces_and_verbs():
    fails(prof("profile", "--trase=osrt", "true"), 2, "--trase", "did you mean --trace?")
    fails(prof("profile", "--osrt-treshold=5", "true"), 2, "did you mean --osrt-threshold?")
    fails(prof("profile", "-t", "osrtt", "true"), 2, "osrtt", "did you mean osrt?")
    fails(prof("profile", "-t", "cudaa", "true"), 2, "did you mean cuda?", "cublas, cuda, cuda-hw, cuda-sw, cudnn")
    fails(prof("profil", "true"), 2, "did you mean profile?")
    fails(prof("profile", "-f", "maybe", "true"), 1, "no such program")  # nsys also parses it like this
    fails(prof("profile", "--force-overwrite=maybe", "true"), 2, "maybe")
    fails(prof("profile", "--osrt-threshold=-5", "true"), 2, "osrt-threshold")
    fails(prof("profile", "--osrt-threshold=many", "true"), 2, "many")
    fails(prof("profile", "-o"), 2, "needs a value")
    fails(prof("profile", "-e", "NOEQUALS", "true"), 2, "NAME=value")
    fails(prof("profile", "--nvtx-domain-include=a", "--nvtx-domain-exclude=b", "true"), 2, "nvtx-domain")


# --- bad input to stats and export

def test_files_that_are_not_reports(tmp_path, report):
    folder = tmp_path / "folder"
    folder.mkdir()
    for verb in (["stats"], ["analyze"], ["diff", report.path], ["export", "--json"]):
        fails(prof(*verb, tmp_path / "none.db"), 1, "No such file")
        fails(prof(*verb, folder), 1, "has no report in it" if verb[0] != "export" else "directory")
        fails(prof(*verb), 2, "needs two reports" if verb[0] == "diff" else "no report given")
        empty = tmp_path / "empty.db"
        empty.write_bytes(b"")
        fails(prof(*verb, empty), 1, "is empty")
        text = tmp_path / "text.db"
        text.write_text("hello, this is not a database" * 10)
        fails(prof(*verb, text), 1, "not an SQLite database")
        private = tmp_path / "x.nsys-rep"
        private.write_bytes(b"\0" * 200)
        fails(prof(*verb, private), 1, "nsys export --type sqlite")
        spool = tmp_path / "apart" / "x.spool"  # every prof in its folder names it
        spool.parent.mkdir(exist_ok=True)
        spool.write_bytes(b"profspl1" + b"\0" * 200)
        fails(prof(*verb, spool), 1, "prof recover")
        truncated = tmp_path / "truncated.db"
        whole = report.path.read_bytes()
        truncated.write_bytes(whole[:len(whole) // 2])
        fails(prof(*verb, truncated), 1, "truncated", "copy it again")
        truncated.write_bytes(whole[:60])
        fails(prof(*verb, truncated), 1, "truncated")


def test_foreign_database(tmp_path):
    import sqlite3
    path = tmp_path / "foreign.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t(x)")
    fails(prof("stats", path), 1, "not a report", "StringIds")


def test_damaged_report(tmp_path, report):
    damaged = tmp_path / "damaged.db"
    content = bytearray(report.path.read_bytes())
    content[100:3000] = b"\xff" * 2900
    damaged.write_bytes(content)
    fails(prof("stats", damaged), 1, "damaged.db")


def test_locked_report(tmp_path, report):
    import sqlite3
    path = tmp_path / "locked.db"
    shutil.copy(report.path, path)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    fails(prof("stats", path), 1, "locked by another program")
    database.close()


def test_read_only_report_in_a_read_only_directory(tmp_path, report):
    place = tmp_path / "ro"
    place.mkdir()
    shutil.copy(report.path, place / "r.db")
    (place / "r.db").chmod(0o400)
    place.chmod(0o500)
    assert prof("stats", place / "r.db").returncode == 0
    assert json.loads(prof("export", "--json", place / "r.db").stdout)
    place.chmod(0o700)


def test_stats_names_formats_and_files(tmp_path, report):
    fails(prof("stats", "-r", "osrt_sun", report.path), 2, "did you mean osrt_sum?")
    fails(prof("stats", "-f", "xml", report.path), 2, "xml", "csv")
    assert "osrt_sum" in prof("stats", "--help-reports").stdout
    assert prof("stats", "-r", "osrtsum", report.path).stdout == prof(
        "stats", "-r", "osrt_sum", report.path).stdout
    shutil.copy(report.path, tmp_path / "copy.db")
    done = prof("stats", "-r", "osrt_sum", "-f", "csv", "-o", ".", tmp_path / "copy.db")
    assert done.returncode == 0 and done.stdout == ""
    written = (tmp_path / "copy_osrt_sum.csv").read_text()
    assert written == prof("stats", "-r", "osrt_sum", "-f", "csv", report.path).stdout
    fails(prof("stats", "-r", "osrt_sum", "-f", "csv", "-o", ".", tmp_path / "copy.db"), 1, "exists")
    assert prof("stats", "-r", "osrt_sum", "-f", "csv", "-o", ".", "--force-overwrite",
                tmp_path / "copy.db").returncode == 0


def test_bad_options_of_stats(report, tmp_path):
    fails(prof("stats", "--timeunit", "hours", report.path), 2, "hours", "usec")
    fails(prof("stats", "--filter-time", "5", report.path), 2, "bad time filter 5", "[START]/[END]")
    fails(prof("stats", "--filter-nvtx", "absent@x", report.path), 1, "no NVTX range matches absent@x")
    fails(prof("stats", "--help-reports=osrt_sun"), 2, "did you mean osrt_sum?")
    fails(prof("stats", "--report-dir", tmp_path / "none", report.path), 1, "none", "No such file")


def test_stats_help_of_reports():
    listed = prof("stats", "--help-reports").stdout
    assert listed == prof("stats", "--help-reports=ALL").stdout
    for name in ("nvtx_kern_sum", "um_sum", "mpi_event_trace", "syscall_sum"):
        assert name in listed and prof("stats", "--help-reports", name).stdout.startswith(name)


def test_stats_writes_csv_to_files_and_commands(tmp_path, report):
    wanted = prof("stats", "-r", "osrt_sum", "-f", "csv", report.path).stdout
    base = tmp_path / "base"
    assert prof("stats", "-r", "osrt_sum", "-o", base, "--force-export", report.path).returncode == 0
    assert (tmp_path / "base_osrt_sum.csv").read_text() == wanted
    assert prof("stats", "-r", "osrt_sum", "-f", "markdown", "-o", base, "--filter-time", "0/9s",
                report.path).returncode == 0
    assert (tmp_path / "base_osrt_sum_time=0-9s.md").read_text().startswith("## OS Runtime Summary")
    assert prof("stats", "-r", "osrt_sum", "-o", "@cat", report.path).stdout == wanted
    fails(prof("stats", "-r", "osrt_sum", "-o", "@exit 3", report.path), 1, "exit 3 failed with status 3")


def test_reports_of_the_users(tmp_path, report):
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "longest.sql").write_text(
        "-- Longest Calls\nSELECT max(end - start) AS \"Longest (ns)\" FROM OSRT_API;\n")
    (folder / "broken.sql").write_text("SELECT absent FROM OSRT_API;")
    (folder / "empty.sql").write_text("SELECT 1 WHERE 0;")
    (folder / "folder.sql").mkdir()
    longest = report.value("SELECT max(end - start) FROM OSRT_API")
    options = ["stats", "--report-dir", folder, "-f", "csv", report.path, "-r"]
    assert prof(*options, "longest").stdout == f"Longest (ns)\n{longest}\n\n"
    assert prof(*options, "longest.sql", "--timeunit=us").stdout.startswith("Longest (us)\n")
    assert prof(*options, "longest,osrt_sum").stdout.count("(ns)") > 5
    fails(prof(*options, "broken"), 1, "broken.sql: no such column: absent")
    fails(prof(*options, "longst"), 2, "did you mean longest?")
    fails(prof(*options, "folder"), 1, "cannot read", "folder.sql")
    (folder / "folder.sql").rmdir()
    done = prof(*options, "empty")
    assert done.returncode == 0 and "does not contain data for empty.sql." in done.stderr
    assert "Longest Calls" in prof("stats", "--report-dir", folder, "--help-reports").stdout


def test_full_standard_output(report):
    for words in (["stats", "-r", "osrt_sum"], ["export", "--json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([str(PROF), *words, str(report.path)], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        fails(done, 1, "No space left")


# --- recover

def test_recover_rejects_other_files(tmp_path):
    fails(prof("recover", tmp_path / "none.spool"), 1, "No such file")
    other = tmp_path / "x.spool"
    other.write_text("something else")
    fails(prof("recover", other), 1, "not a recording")
    fails(prof("recover", tmp_path / "name"), 2, "-o")
    assert other.exists()


def test_help_of_a_verb():
    assert prof("help", "stats").stdout == prof("stats", "--help").stdout
    assert prof("help").stdout == prof("--help").stdout
    fails(prof("help", "stat"), 2, "did you mean stats?")


def test_a_threshold_is_not_negative():
    for option in ("--osrt-threshold", "--osrt-backtrace-threshold"):
        done = prof("profile", f"{option}=-1", "true")
        fails(done, 2, "-1 is not a number of nanoseconds")
        assert len(done.stderr) < 150


def test_the_name_of_an_nsys_report_is_taken_with_a_word(tmp_path):
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "r.nsys-rep", "true")
    assert done.returncode == 0 and "will be an SQLite file" in done.stderr
    assert prof("stats", tmp_path / "r.nsys-rep").returncode == 0


def test_of_several_reports_each_is_named(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.db", "b.db")]
    for path in paths:
        assert prof("profile", "-t", "osrt", "-o", path, "true").returncode == 0
    done = prof("analyze", *paths)
    assert all(f"\nReport: {path}\n" in done.stdout for path in paths) and not done.stderr
    assert all(f"# {path}\n" in prof("analyze", "-f", "markdown", *paths).stdout for path in paths)
    assert all(path in prof("analyze", "-f", "csv", *paths).stderr for path in paths)
