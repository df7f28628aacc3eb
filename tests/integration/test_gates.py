"""prof diff --fail-if, repeated runs, SARIF, and the files for GitHub and GitLab."""
import json
import os
import re
import sqlite3
import subprocess
from xml.etree import ElementTree

import pytest
import yaml
from agent_cases import CAUSES, CLEAN, ORDERS, hostile
from made_up_program import MS, Program
from profiling import PROF, SOURCE, prof, program
from test_facts import ORDERED

FOLDER = SOURCE / "docs" / "ci"


def report(path, duration, count=10):
    made = Program(path)
    for _ in range(count):
        with made.range("step"):
            made.kernel("gemm_one", duration)
            made.synchronize()
    return made.done()


@pytest.fixture
def runs(tmp_path):
    """Reports of repeated runs with these lengths of a kernel."""
    def make(name, *durations):
        return [report(tmp_path / f"{name}_{number}.db", round(each * MS)) for number, each in enumerate(durations)]
    return make


def test_a_gate_of_repeated_runs(runs):
    base, same = runs("base", 5, 5.05, 4.98, 5.02), runs("same", 5.02, 5.01, 4.99, 5.06)
    slow = runs("slow", 5.5, 5.46, 5.53, 5.51)
    gate = ("--fail-if", "kernel('gemm*').total > +5% and > 1ms")
    assert prof("diff", "-q", *gate, *base, "--vs", *same).stderr == ""
    done = prof("diff", *gate, *base, "--vs", *same)
    assert done.returncode == 0 and "passed: kernel('gemm*').total" in done.stderr, done
    done = prof("diff", "-q", *gate, *base, "--vs", *slow)
    assert done.returncode == 3 and "95 % interval +" in done.stderr and "medians of 4 and 4 reports" in done.stderr, done
    done = prof("diff", "-q", "--fail-if", "range('step').median > +20%", "--fail-if", "count(kernel) > base", *base, "--vs", *slow)
    assert done.returncode == 0, done


def test_noise_is_not_a_slowdown(runs):
    base, noisy = runs("base", 4, 5, 6), runs("noisy", 4.5, 5.6, 5.7)
    done = prof("diff", "--fail-if", "kernel.total > +5%", *base, "--vs", *noisy)
    assert done.returncode == 0 and "(+12.0 %" in done.stderr, done.stderr


def test_two_reports_have_no_interval(runs):
    base, slow = runs("base", 5), runs("slow", 6)
    done = prof("diff", "-q", "--fail-if", "kernel.total > +5%", *base, *slow)
    assert done.returncode == 3 and "fewer than 3 reports a side" in done.stderr
    assert prof("diff", "-q", "--fail-if", "kernel.total > 1s", *base, *slow).returncode == 0


def test_what_cannot_be_measured_fails(runs):
    base, slow = runs("base", 5), runs("slow", 6)
    done = prof("diff", "-q", "--fail-if", "call('fsync').median > +5%", *base, *slow)
    assert done.returncode == 3 and "does not have this number" in done.stderr


def test_wrong_gates(runs):
    base, slow = runs("base", 5), runs("slow", 6)
    for words in (["--fail-if", "kernel.total"], ["--fail-if", "kernel.total > +5"], ["--vs", *slow], [slow[0], base[0]],
                  ["--fail-if", "", slow[0]], ["--sarif", "x", slow[0]]):
        assert prof("diff", *words[:2], *base, *words[2:], *slow).returncode == 2, words


def saved(reports):
    """The numbers of the reports, and no reports any more."""
    files = [each.with_suffix(".json") for each in reports]
    for report, file in zip(reports, files):
        done = prof("facts", "--save", file, report)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        report.unlink()
    return files


def test_a_baseline_of_numbers(runs, tmp_path):
    """It gives the answers that the reports gave."""
    base, same, slow = runs("base", 5, 5.05, 4.98, 5.02), runs("same", 5.02, 5.01, 4.99), runs("slow", 5.5, 5.46, 5.53, 5.51)
    gates = [word for text in ("kernel('gemm*').total > +5% and > 1ms", "range('step').median > +20%", "count(kernel) > base", "time > +50%",
                               "launch_bound.share > 0.9", "call('cudaLaunchKernel*').count > base") for word in ("--fail-if", text)]
    of_reports = [prof("diff", *gates, *base, "--vs", *new).stderr for new in (same, slow)]
    files = saved(base)
    assert all(each.stat().st_size < 5_000 for each in files)
    folder = tmp_path / "saved"
    folder.mkdir()
    for each in files:
        each.rename(folder / each.name)
    for new, expected in zip((same, slow), of_reports):
        done = prof("diff", *gates, "--baseline", folder, *new)
        assert (done.stderr, done.stdout, done.returncode) == (expected, "", 3 if "failed: " in expected else 0)
    assert "failed: kernel('gemm*').total" in of_reports[1] and "failed" not in of_reports[0]
    junit = tmp_path / "times.xml"
    done = prof("diff", "-q", *gates, "--baseline", folder / "base_0.json", "--junit", junit, *slow[:2])
    assert done.returncode == 3 and ElementTree.parse(junit).getroot().get("failures") == "1"


def with_machine(report, gpu="NVIDIA H200", driver="580.1", command="./train"):
    """The report says where and how it was recorded."""
    with sqlite3.connect(report) as database:
        database.execute("ALTER TABLE TARGET_INFO_GPU ADD COLUMN name")
        database.execute("UPDATE TARGET_INFO_GPU SET name = ?", (gpu,))
        database.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'NvDriverVersion', 0, ?)", (driver,))
        database.execute("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND', ?)", (command,))
    return report


def test_reports_of_different_gpus(runs, tmp_path):
    base, same, other = runs("base", 5)[0], runs("same", 5)[0], runs("other", 5)[0]
    for each, gpu in ((base, "NVIDIA H200"), (same, "NVIDIA H200"), (other, "NVIDIA A100")):
        with_machine(each, gpu)
    file = tmp_path / "base.json"
    assert prof("facts", "--save", file, base).returncode == 0
    gate = ("--fail-if", "kernel.total > +5%")
    differ = "GPU (1 × NVIDIA H200 (132 SMs) → 1 × NVIDIA A100 (132 SMs))"
    for sides in ((base, "{}"), (base, "--vs", "{}"), ("--baseline", file, "{}")):
        def compare(new, *options):
            return prof("diff", "-q", *options, *gate, *(new if each == "{}" else each for each in sides))
        assert compare(same).returncode == 0
        done = compare(other)
        assert done.returncode == 4 and len(done.stderr.splitlines()) == 1 and differ in done.stderr, done
        assert "--force-compare" in done.stderr
        assert compare(other, "--force-compare").returncode == 0
    done = prof("diff", base, other)
    assert done.returncode == 0 and f"The reports differ in: {differ}." in done.stdout
    assert "The reports differ" not in prof("diff", base, same).stdout


def test_differences_of_the_recordings(runs, tmp_path):
    base, = runs("base", 5)
    new = report(tmp_path / "new.db", 5 * MS, 12)
    with_machine(base)
    with_machine(new, driver="590.2", command="./train --fast `x`\x1b[31m")
    file = tmp_path / "base.json"
    assert prof("facts", "--save", file, base).returncode == 0
    found = json.loads(prof("diff", "-f", "json", base, new).stdout)["differences"]
    assert [each["respect"] for each in found] == ["driver", "command", "iterations"]
    assert (found[0]["before"], found[0]["after"]) == (["580.1"], ["590.2"])
    assert (found[2]["before"], found[2]["after"]) == (["10"], ["12"])
    gate = ("--fail-if", "kernel.mean > +5%")
    done = prof("diff", *gate, "--baseline", file, new)
    assert done.returncode == 0 and "The reports differ in: NVIDIA driver (580.1 → 590.2), command (" in done.stderr
    assert "\x1b" not in done.stderr
    reported = prof("diff", "-f", "markdown", base, new).stdout.replace("\\", "")
    assert "\n- The reports differ in: " in reported


def test_wrong_baselines(runs, tmp_path):
    base, slow = runs("base", 5), runs("slow", 6)
    file, = saved(base)
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.json").write_text("{}")
    gate = ("--fail-if", "kernel.total > +5%")
    for name, why in (("none.json", "cannot read"), ("empty", "has no file of prof facts --save"), ("other.json", "not a file that")):
        done = prof("diff", *gate, "--baseline", tmp_path / name, *slow)
        assert done.returncode == 1 and why in done.stderr, done
    for words in (["--baseline", file, *slow], [*gate, "--baseline", file], [*gate, "--baseline", file, *slow, "--vs", *slow],
                  [*gate, "--baseline", file, "--fail-on-slower", "3", *slow]):
        assert prof("diff", *words).returncode == 2, words
    done = prof("diff", "-q", "--fail-if", "range('*?').median > +50%", "--baseline", file, *slow)
    assert done.returncode == 0 and done.stderr == ""
    done = prof("facts", "--save", file, *slow)
    assert done.returncode == 1 and "exists" in done.stderr
    assert prof("facts", "--save", file, "--force-overwrite", "true", *slow).returncode == 0
    for words in (["--save", tmp_path / "x.json", *slow, *slow], ["--save", tmp_path / "x.json", "--topic", "cpu", *slow], ["--save", tmp_path / "x.json", tmp_path],
                  ["--force-overwrite", "true", *slow]):
        assert prof("facts", *words).returncode == 2, words


def test_gates_for_continuous_integration(runs, tmp_path):
    base, slow = runs("base", 5), runs("slow", 6)
    junit, sarif = tmp_path / "times.xml", tmp_path / "times.sarif"
    done = prof("diff", "-q", "--fail-if", "kernel.total > +5%", "--junit", junit, "--sarif", sarif, "--annotate", "github", *base, *slow)
    assert done.returncode == 3 and "::error title=prof diff%3A kernel.total > +5%25::" in done.stderr
    assert ElementTree.parse(junit).getroot().get("failures") == "1"
    run, = json.loads(sarif.read_text())["runs"]
    note, = run["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "error" and run["results"] == []


def check_sarif(document):
    """What SARIF's schema requires, as far as prof uses it."""
    assert document["version"] == "2.1.0" and document["$schema"].endswith("sarif-2.1.0.json")
    run, = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "prof" and all(each["id"] and each["shortDescription"]["text"] for each in driver["rules"])
    for each in run["results"]:
        assert each["ruleId"] in [rule["id"] for rule in driver["rules"]] and each["level"] in ("error", "warning", "note")
        place = each["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] > 0 and re.fullmatch(r"[\w/.~%-]+", place["artifactLocation"]["uri"])
        assert each["message"]["text"] and each["partialFingerprints"]
    for each in run["invocations"][0]["toolExecutionNotifications"]:
        assert each["message"]["text"] and each["level"] in ("error", "note") and each["descriptor"]["id"]
    return run


def test_findings_as_sarif(tmp_path):
    made = CAUSES["hot Python function"].make(tmp_path)
    sarif = tmp_path / "findings.sarif"
    assert prof("analyze", "-q", "--sarif", sarif, "--fail-on", "hot_python_function=50", made).returncode == 3
    run = check_sarif(json.loads(sarif.read_text()))
    result = next(each for each in run["results"] if each["ruleId"] == "hot_python_function")
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"], result["level"]) == ("/srv/text.py", 12, "error")


def test_findings_as_code_quality(tmp_path):
    made = CAUSES["hot Python function"].make(tmp_path)
    file = tmp_path / "quality.json"
    assert prof("analyze", "-q", "--code-quality", file, "--fail-on", "hot_python_function=50", made).returncode == 3
    problems = json.loads(file.read_text())
    assert all(set(each) == {"description", "content", "check_name", "fingerprint", "severity", "location"} for each in problems)
    found, = [each for each in problems if each["check_name"] == "hot_python_function"]
    assert found["severity"] == "major" and found["location"] == {"path": "/srv/text.py", "lines": {"begin": 12}}
    assert re.fullmatch("[0-9a-f]{16}", found["fingerprint"]) and found["description"]
    assert len({each["fingerprint"] for each in problems}) == len(problems)


def test_iterations_and_memory(runs):
    base, slow = runs("base", 5), runs("slow", 6)
    assert prof("diff", "-q", "--fail-if", "iteration.median > +30%", *base, *slow).returncode == 0
    done = prof("diff", "-q", "--fail-if", "iteration.median > +10%", *base, *slow)
    assert done.returncode == 3 and "iteration.median > +10%" in done.stderr, done
    assert prof("diff", "-q", "--fail-if", "iteration.max > 5500us and > base", *base, *slow).returncode == 3
    done = prof("diff", "-q", "--fail-if", "gpu_memory.peak > 1B", *base, *slow)
    assert done.returncode == 3 and "does not have this number" in done.stderr
    for words in ("iteration.total > 1ns", "iteration.median > 1", "gpu_memory.peak > 1", "gpu_memory > 1B"):
        assert prof("diff", "--fail-if", words, *base, *slow).returncode == 2, words
    file, = saved(base)
    gates = ("--baseline", file, *slow)
    assert prof("diff", "-q", "--fail-if", "iteration.median > +30%", *gates).returncode == 0
    assert prof("diff", "-q", "--fail-if", "iteration.median > +10%", *gates).returncode == 3


def test_peak_of_gpu_memory(tmp_path):
    def made(name, size):
        path = report(tmp_path / name, MS)
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE PROF_TORCH_MEMORY (start, globalTid, operation, address, bytes, allocated, reserved, "
                             "deviceType, deviceId)")
            database.execute("INSERT INTO PROF_TORCH_MEMORY VALUES (1, 0, 0, 1, ?, ?, ?, 1, 0)", (size, size, 2 * size))
        return path
    small, large = made("small.db", 1 << 20), made("large.db", 3 << 20)
    assert prof("diff", "-q", "--fail-if", "gpu_memory.peak > 6MiB", small, large).returncode == 0
    done = prof("diff", "-q", "--fail-if", "gpu_memory.peak > +10% and >= 6MiB", small, large)
    assert done.returncode == 3 and "2.09715e+06 B → 6.29146e+06 B" in done.stderr, done
    done = prof("check", "-f", "json", large, "gpu_memory.peak = 6MiB", "gpu_memory.peak > 7MiB",
                "iteration.median between 1ms and 2ms", "iteration.min > 1s")
    assert [each["verdict"] for each in json.loads(done.stdout)["claims"]] == ["supported", "contradicted"] * 2, done


def test_new_findings(tmp_path):
    folders = [tmp_path / name for name in ("clean", "slow", "cpu")]
    for folder in folders:
        folder.mkdir()
    clean, slow = CLEAN["copies beside kernels"](folders[0]), CAUSES["pageable copies"].make(folders[1])
    python = CAUSES["hot Python function"].make(folders[2])
    assert prof("diff", "-q", "--fail-if", "new_finding(any)", slow, slow).returncode == 0
    done = prof("diff", "-q", "--fail-if", "new_finding(any)", clean, slow)
    assert done.returncode == 3 and "pageable_copies" in done.stderr, done
    assert prof("diff", "-q", "--fail-if", "new_finding(pageable_copies)", clean, slow).returncode == 3
    assert prof("diff", "-q", "--fail-if", "new_finding(launch_bound)", clean, slow).returncode == 0
    # The base has no samples of Python, so it could not have the finding.
    assert prof("diff", "-q", "--fail-if", "new_finding(hot_python_function)", clean, python).returncode == 0
    for report, status in ((clean, 3), (slow, 0)):
        file = tmp_path / f"{status}.json"
        assert prof("facts", "--save", file, report).returncode == 0
        assert prof("diff", "-q", "--fail-if", "new_finding(any)", "--baseline", file, slow).returncode == status
    for words in ("new_finding(none_of_these)", "new_finding()", "new_finding(any) > 1"):
        assert prof("diff", "--fail-if", words, slow, slow).returncode == 2, words


def test_names_that_give_orders_stay_in_their_fields(tmp_path):
    for number, (name, order) in enumerate(zip(CAUSES, ORDERS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        sarif, junit = folder / "f.sarif", folder / "f.xml"
        done = prof("analyze", "-q", "--sarif", sarif, "--junit", junit, "--annotate", "github",
                    hostile(CAUSES[name].make, order)(folder))
        for each in check_sarif(json.loads(sarif.read_text()))["invocations"][0]["toolExecutionNotifications"]:
            assert not ORDERED.search(each["message"]["text"]), each
        names = {case.get("name") for case in ElementTree.parse(junit).iter("testcase")}
        assert names and not any(ORDERED.search(each) for each in names)
        commands = [line for line in done.stderr.splitlines() if line.startswith("::")]
        assert commands and all(line.startswith("::notice title=prof analyze%3A ") for line in commands)


def test_repeated_runs(tmp_path):
    count = tmp_path / "count"
    done = prof("profile", "-t", "none", "--runs", "3", "-o", tmp_path / "bench.db", "--", "sh", "-c", f"echo x >> {count}")
    assert done.returncode == 0, done.stderr
    assert sorted(each.name for each in tmp_path.glob("*.db")) == ["bench_1.db", "bench_2.db", "bench_3.db"]
    assert count.read_text() == "x\n" * 3
    done = prof("profile", "-t", "none", "--runs=2", "-f", "true", "-o", tmp_path / "bench.db", "--", "sh", "-c", "exit 7")
    assert done.returncode == 7
    for wrong in ("0", "x", "1001"):
        assert prof("profile", "--runs", wrong, "true").returncode == 2
    assert program


# --- the files for other systems

def environment(folder, values):
    return {**os.environ, "PATH": f"{PROF.parent}:{os.environ['PATH']}", **values}


def steps_of_github(inputs):
    action = yaml.safe_load((FOLDER / "action.yml").read_text())
    values = {name: inputs.get(name, each.get("default", "")) for name, each in action["inputs"].items()}
    assert action["runs"]["using"] == "composite" and set(inputs) <= set(values)
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"] and step["shell"] == "bash"
        yield step["run"], {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
                            for name, text in step["env"].items()}


def run_steps(steps, folder):
    for script, values in steps:
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment(folder, values),
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            return done
    return done


def test_the_action_of_github(tmp_path):
    command = "printf '%s' \"a; b\" > out && sleep 0.05"
    inputs = {"command": command, "runs": "3", "options": "-t osrt", "fail-if": "duration > +10000%"}
    done = run_steps(steps_of_github(inputs), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out").read_text() == "a; b" and "nothing to compare" in done.stdout
    assert len(list((tmp_path / "prof-reports").glob("run_*.db"))) == 3
    check_sarif(json.loads((tmp_path / "prof-reports" / "findings.sarif").read_text()))
    (tmp_path / "prof-reports").rename(tmp_path / "prof-base")
    assert run_steps(steps_of_github(inputs), tmp_path).returncode == 0
    done = run_steps(steps_of_github({**inputs, "fail-if": "duration > 1ns"}), tmp_path)
    assert done.returncode == 3 and "::error title=prof diff" in done.stderr
    for each in (tmp_path / "prof-base").glob("*.db"):  # their numbers are enough
        each.unlink()
    assert run_steps(steps_of_github(inputs), tmp_path).returncode == 0
    done = run_steps(steps_of_github({**inputs, "fail-if": "duration > 1ns"}), tmp_path)
    assert done.returncode == 3 and "medians of 3 and 3 reports" in done.stderr


def test_the_template_of_gitlab(tmp_path):
    job = yaml.safe_load((FOLDER / "gitlab.yml").read_text())[".prof"]
    values = {**job["variables"], "PROF_COMMAND": "sleep 0.05", "PROF_RUNS": "3", "PROF_OPTIONS": "-t osrt",
              "PROF_FAIL_IF": "duration > +10000%"}
    steps = [(line, values) for line in job["script"]]
    assert run_steps(steps, tmp_path).returncode == 0
    (tmp_path / "prof-reports").rename(tmp_path / "prof-base")
    done = run_steps(steps, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all((tmp_path / path.replace("$PROF_REPORTS", "prof-reports")).exists() for path in job["artifacts"]["reports"]["junit"])
