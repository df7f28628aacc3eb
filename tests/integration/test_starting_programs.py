"""Programs that start others where it is difficult: arguments and environments of every size, memory that cannot be
read, small stacks, threads that change the environment meanwhile. All succeed and fail as without prof."""
import subprocess

import pytest
from difficult_runs import both
from profiling import PROF, Report, profile, program

EVERYTHING = ["--osrt-threshold", "0"]



@pytest.mark.parametrize("traces", ["nvtx,osrt", "none"])
def test_memory_that_cannot_be_read(tmp_path, traces):
    done = both(tmp_path, program("unreadable_exec"), traces=traces).done
    assert done.stdout.count(f": {14 << 8}\n") > 10  # EFAULT


@pytest.mark.parametrize("way", ["execve", "execv", "execvpe", "spawn"])
def test_arguments_up_to_the_limit(tmp_path, way):
    """With an empty environment: one that has prof's variables has less room."""
    assert int(both(tmp_path, program("exec_limit"), way).done.stdout) > 100_000


# glibc gives posix_spawn a separate stack.
STACKS = {"16384": ["spawn", "vfork", "fork", "execle", "execvpe"], "32768": ["spawn", "vfork"]}


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("way, stack", [(way, stack) for stack, ways in STACKS.items() for way in ways])
@pytest.mark.parametrize("variables", [0, 3000, 9000])
def test_large_environments_on_small_stacks(tmp_path, way, stack, variables, clean):
    words = [program("small_stack_starts"), variables, way, stack, *(["clean"] if clean else [])]
    assert both(tmp_path, *words).done.stdout == "status 0\n" * 3


@pytest.mark.parametrize("way", ["system", "popen"])
def test_the_environment_while_a_shell_runs(tmp_path, way):
    done = both(tmp_path, program("environment_beside_shell"), way).done
    assert "same 1 bad 0 " in done.stdout and "GONE" not in done.stdout


@pytest.mark.parametrize("answer", [22, 0])  # EINVAL, and a kernel that says that it has done it
@pytest.mark.parametrize("way", ["fork", "_Fork"])
def test_forks_where_no_memory_is_wiped(tmp_path, way, answer):
    command = [program("madvise_lies"), str(answer), str(PROF), "profile", "-t", "osrt", "-s", "none", *EVERYTHING,
               "-o", str(tmp_path / "r.db"), program("process_ways"), way]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    report = Report(tmp_path / "r.db", done)
    pids = report.expected()
    assert report.calls(pids["parent"])["write"] == 7 and report.calls(pids["child"])["write"] == 25
    assert not [text for text in report.diagnostics() if "amaged" in text]
    assert [text for text in report.diagnostics() if "MADV_WIPEONFORK" in text]


def test_the_name_after_exec(tmp_path):
    """A thread has one row in ThreadNames, with the name that it has at the end."""
    report = profile(tmp_path, "bash", "-c", "read line < /dev/null; exec sleep 0.01", options=EVERYTHING)
    threads = report.query("SELECT value FROM ThreadNames JOIN StringIds ON id = nameId")
    assert [row["value"] for row in threads] == ["sleep"]


def test_ldconfig_is_no_news(tmp_path):
    report = both(tmp_path, "sh", "-c", "/sbin/ldconfig -p > /dev/null; exit 3")
    assert "/sbin/ldconfig" not in report.done.stderr + str(report.diagnostics())


@pytest.mark.parametrize("traces, options", [("nvtx,osrt", ()), ("none", ("-s", "none", "--cpuctxsw=none")),
                                             ("osrt", ("--osrt-file-access=true",))])
def test_every_function_with_bad_arguments_on_a_small_stack(tmp_path, traces, options):
    """Each one that prof wraps, with null, with a small number, and with memory that is not there. Results, errno and
    signals are the same."""
    done = both(tmp_path, program("every_bad_call"), traces=traces, options=options, timeout=300).done
    assert done.stdout.count("\n") > 1300
