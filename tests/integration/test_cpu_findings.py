"""prof analyze on programs without a GPU: programs with one known problem each, and programs without problems."""
import json
import os
import re
import subprocess
import sys

import pytest
from named import with_names
from profiling import PROF, Report, prof, program, source_of

STATUS = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)
needs_kernel = pytest.mark.skipif(not STATUS["sampling"]["detail"].startswith("by the kernel"),
                                  reason=STATUS["sampling"]["detail"])

ALL = ("-s", "process-tree", "--cpuctxsw=process-tree", "--python-sampling=true")
# Other programs of the machine may have the CPUs.
OF_THE_MACHINE = {"too_few_cpus"}


def diagnosis(report, *options):
    done = prof("analyze", "-f", "json", *options, report.path)
    assert done.returncode == 0, done.stderr
    return with_names(done.stdout)


def record(tmp_path, *command, traces="osrt", options=ALL):
    path = tmp_path / "report.db"
    done = prof("profile", "-t", traces, "-f", "true", "-o", path, *options, "--", *command)
    assert done.returncode == 0, done.stderr
    report = Report(path, done)
    assert running_time(report) <= 1.02 * os.cpu_count() * report.value("SELECT duration FROM ANALYSIS_DETAILS")
    return report


def running_time(report):
    """The time that threads ran, in ns: not more than the CPUs have."""
    done = prof("stats", "-q", "-r", "thread_state_sum", "-f", "json", report.path)
    return sum(row["Running (ns)"] for row in json.loads(done.stdout)) if done.stdout.strip() else 0


def rules(found):
    return [each["rule"] for each in found["findings"] if each["rule"] not in OF_THE_MACHINE]


def python(way):
    return sys.executable, str(source_of("python_problems.py")), way


def shell(text):
    return "/bin/sh", "-c", text


def cpu_problems(way):
    return program("cpu_problems"), way


def imports(folder):
    """A program that imports modules of many functions, which Python compiles each time."""
    for module in range(12):
        functions = "\n".join(f"def f{i}(a, b=1, *c):\n    return [a + b + {i} for _ in c]" for i in range(1500))
        (folder / f"module_{module}.py").write_text(functions)
    main = folder / "main.py"
    main.write_text("\n".join(f"import module_{module}" for module in range(12)))
    return sys.executable, "-B", str(main)


@needs_kernel
@pytest.mark.parametrize("way,rule,words", [
    ("hot", "hot_function", ["hot (", "cpu_problems.c:", "hot_function"]),
    ("new_memory", "memory_mapping", ["fill_new_memory"]),
    ("uneven", "uneven_threads", ["3 other threads"]),
])
def test_the_first_finding_of_a_native_program_is_its_problem(tmp_path, way, rule, words):
    found = diagnosis(record(tmp_path, *cpu_problems(way)))
    assert rules(found)[:1] == [rule], found
    evidence = next(each["evidence"] for each in found["findings"] if each["rule"] == rule)
    assert all(word in evidence for word in words), evidence


@needs_kernel
def test_more_threads_than_cpus(tmp_path):
    found = diagnosis(record(tmp_path, *cpu_problems("one_cpu")))
    assert found["findings"][0]["rule"] == "too_few_cpus", found
    assert found["findings"][0]["share_percent"] > 50
    assert found["verdict"] == "short of CPUs"


@pytest.mark.alone
def test_a_hot_python_function(tmp_path):
    found = diagnosis(record(tmp_path, *python("hot")))
    assert rules(found)[0] == "hot_python_function", found
    evidence = next(each["evidence"] for each in found["findings"] if each["rule"] == "hot_python_function")
    assert "slow (" in evidence and "python_problems.py:" in evidence and "called by hot (" in evidence


@needs_kernel
def test_functions_that_call_a_library_are_named(tmp_path):
    found = diagnosis(record(tmp_path, *python("loaders")))
    assert "Dataset.parse (python_problems.py:" in found["shares"], found
    assert not any("multiprocessing" in each["remedy"] for each in found["findings"]), found


@needs_kernel
def test_threads_that_ended_do_not_run_on_in_a_recording_of_all_processes(tmp_path):
    code = ("import threading\nfor _ in range(400):\n"
            "    threads = [threading.Thread(target=sum, args=(range(20_000),)) for _ in range(4)]\n"
            "    for each in threads: each.start()\n    for each in threads: each.join()\n")
    options = ("-s", "system-wide", "--cpuctxsw=system-wide")
    done = prof("profile", "-t", "none", "-o", tmp_path / "try.db", *options, "true")
    if done.returncode != 0 or "system-wide" in done.stderr:
        pytest.skip(done.stderr)
    record(tmp_path, sys.executable, "-c", code, options=options)


@needs_kernel
def test_one_process_does_most_of_the_work(tmp_path):
    # Where other programs have the CPUs, all of it is one function's work, and the children take as long to start: a
    # moment of that is enough, and no finding names it. So one of three recordings has to have the finding.
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        found = diagnosis(record(folder, *python("processes")))
        is_busy = any(each["rule"] in OF_THE_MACHINE for each in found["findings"])
        others = ("child_processes", "hot_python_function") if is_busy else ("child_processes",)
        named = [rule for rule in rules(found) if rule not in others]
        if named[:1] == ["uneven_threads"]:
            break
    assert named[:1] == ["uneven_threads"], found


def test_imports_of_python(tmp_path):
    found = diagnosis(record(tmp_path, *imports(tmp_path)))
    assert rules(found)[0] == "python_imports", found
    assert "main.py:" in next(each["evidence"] for each in found["findings"] if each["rule"] == "python_imports")


@pytest.mark.parametrize("traces", ["osrt", "osrt,python-gil"])
def test_python_threads_that_compute(tmp_path, traces):
    found = diagnosis(record(tmp_path, *python("threads"), traces=traces))
    assert rules(found)[0] == "interpreter_lock", found
    evidence = next(each["evidence"] for each in found["findings"] if each["rule"] == "interpreter_lock")
    assert "what runs then is mostly" in evidence
    assert ("holds it for" in evidence) == ("python-gil" in traces), evidence


@needs_kernel
def test_a_shell_loop_of_commands(tmp_path):
    loop = "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done"
    found = diagnosis(record(tmp_path, *shell(loop)))
    assert rules(found)[0] == "short_processes", found
    evidence = next(each["evidence"] for each in found["findings"] if each["rule"] == "short_processes")
    count, name = re.search(r"; (\d+) of them are (.*)", evidence).groups()
    assert int(count) > 100 and name.endswith("/true"), evidence


CLEAN = {
    "balanced": lambda: cpu_problems("balanced"),
    "even_threads": lambda: cpu_problems("even"),
    "python_balanced": lambda: python("balanced"),
    "python_one_thread": lambda: python("one_thread"),
    "python_pass": lambda: (sys.executable, "-c", "pass"),
    "python_few_imports": lambda: (sys.executable, "-c", "import json, os, re"),
    "ls": lambda: ("ls", "/"),
    "true": lambda: ("true",),
    "shell_builtins": lambda: shell("i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done"),
    "cat": lambda: ("cat", str(source_of("python_problems.py"))),
    "sort": lambda: shell("sort /etc/services | head -n 3"),
    "echo": lambda: ("echo", "hello"),
}


@pytest.mark.alone
@pytest.mark.parametrize("name", CLEAN)
def test_clean_programs_have_no_findings(tmp_path, name):
    # A program that waits for a CPU most of the time has few samples, many of them at one place. So one run of
    # five has to be without findings.
    for _ in range(5):
        found = diagnosis(record(tmp_path, *CLEAN[name]()))
        if not rules(found):
            break
    assert rules(found) == [], found


# --- what is not recorded

def test_what_was_not_recorded_is_named_with_its_option(tmp_path):
    found = diagnosis(record(tmp_path, *cpu_problems("balanced"), options=("-s", "none", "--cpuctxsw=none")))
    missing = " ".join(found["not_recorded"])
    assert "--cpuctxsw=process-tree" in missing and "-s process-tree" in missing and "osrt" not in missing
    assert "python" not in missing


@needs_kernel
def test_a_report_of_samples_only(tmp_path):
    found = diagnosis(record(tmp_path, *cpu_problems("hot"), traces="none", options=("-s", "process-tree")))
    assert rules(found) == ["hot_function"]
    assert any("-t osrt" in each for each in found["not_recorded"])


def test_fail_on_a_finding_about_cpus(tmp_path):
    report = record(tmp_path, *python("hot"))
    assert prof("analyze", "--fail-on", "hot_python_function=1", report.path).returncode == 3
    assert prof("analyze", "--fail-on", "hot_python_function=99.9", report.path).returncode == 0
