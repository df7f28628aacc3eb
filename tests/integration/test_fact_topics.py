"""prof facts --topic, of two reports, and of the ranks of a job. Numbers are computed again of the tables here."""
import contextlib
import csv
import io
import json
import sqlite3
from collections import Counter

import pytest
from agent_cases import CAUSES, NOT_RECORDED, on_cpu, on_gpu
from made_run import make_run
from made_up_program import MS, US
from profiling import prof, unpacked

TOPICS = ["verdict", "idle", "kernels", "memory", "communication", "cpu", "python", "io", "operators", "clocks", "record"]


def facts(*words):
    done = prof("facts", "--budget", "0", *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def topic(name, report):
    return facts("--topic", name, report)


def statistics(document, quantity):
    return [each for each in document["facts"] if each.get("quantity") == quantity]


def by_name(document, quantity):
    return {document["names"][each["subject"]]["text"]: each["value"] for each in statistics(document, quantity) if "subject" in each}


def rows(report, sql):
    with contextlib.closing(sqlite3.connect(report)) as database:
        return database.execute(sql).fetchall()


def check_statistics(report, document):
    """Each query gives the value and the count of its fact. Shares of a quantity add up."""
    shares = Counter()
    for each in document["facts"]:
        if each["kind"] != "statistic":
            continue
        if "sql" in each:
            [(value, count)] = rows(report, document["queries"][each["sql"]["value"]]["sql"])
            assert (value, count) == (each["value"], each.get("count", 0)), each
        assert each["unit"] in ("ns", "B", "1", "Hz")
        assert each["basis"] in ("measured", "derived", "sampled")
        shares[each["quantity"]] += each.get("share", 0)
        assert "share" not in each or each["of"] == each["quantity"]
    for quantity, share in shares.items():
        assert share == 0 or abs(share - 1) < 1e-4, (quantity, share)
        assert quantity in ("events", "gpu_memory_peak", "clock_mean") or len(statistics(document, quantity)) <= 6
    return shares


def gaps(report):
    """The time between the operations of the GPU."""
    operations = rows(report, 'SELECT start, "end" FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, "end" FROM CUPTI_ACTIVITY_KIND_MEMCPY')
    idle, busy_until = 0, min(operations)[0]
    for start, end in sorted(operations):
        idle += max(0, start - busy_until)
        busy_until = max(busy_until, end)
    return idle


def many_kinds(program):
    """Eight kernels, copies of both directions, and a thread that reads."""
    for step in range(6):
        program.copy(4_000_000, 100 * US)
        program.copy(1_000_000, 30 * US, kind=2)
        for number in range(8):
            program.kernel(f"kernel_{number}", (number + 1) * 100 * US)
        program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 500 * US, blocks=24)
        program.synchronize()
        program.os_call("read", (step + 1) * MS)
        program.os_call("pthread_mutex_lock", 1 * MS)
    program.sample_counters("NVML GPU 0", {"SM Clock": "MHz"}, [(0, {"SM Clock": 990}), (program.now, {"SM Clock": 1980})])


@pytest.fixture(scope="module", name="report")
def fixture_report(tmp_path_factory):
    return on_gpu(many_kinds)(tmp_path_factory.mktemp("topics"))


@pytest.mark.parametrize("name", TOPICS)
def test_each_number_has_sql_that_gives_it(report, tmp_path, name):
    for path in (report, unpacked(tmp_path / "nsys.sqlite"), CAUSES["hot Python function"].make(tmp_path)):
        document = topic(name, path)
        check_statistics(path, document)
        assert ("verdict" in document) == (name == "verdict")
        assert {each["topic"] for each in document["facts"] if each["kind"] == "statistic"} <= {name}


def test_kernels_are_the_five_largest_and_the_others(report):
    times = dict(rows(report, 'SELECT value, sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL, StringIds '
                              "WHERE id = demangledName GROUP BY 1 ORDER BY 2 DESC"))
    document = topic("kernels", report)
    found = statistics(document, "kernel_time")
    assert by_name(document, "kernel_time") == dict(list(times.items())[:5])
    assert found[-1]["other_names"] == len(times) - 5 and found[-1]["value"] == sum(list(times.values())[5:])
    assert document["facts"][0]["share"] == pytest.approx(found[0]["value"] / sum(times.values()), rel=1e-5)


def test_memory_communication_and_io(report):
    document = topic("memory,communication,io,clocks", report)
    assert by_name(document, "copy_bytes") == {"[CUDA memcpy Host-to-Device]": 24_000_000, "[CUDA memcpy Device-to-Host]": 6_000_000}
    assert list(by_name(document, "communication_time").values()) == [6 * 500 * US]
    assert by_name(document, "io_call_time") == {"read": 21 * MS}
    assert by_name(document, "clock_mean") == {"SM Clock": (990 + 1980) * 500_000}
    idle = statistics(topic("idle", report), "gpu_idle_time")
    assert [(each["device"], each["value"]) for each in idle] == [(0, gaps(report))]


def test_cpu_and_python(tmp_path):
    native = CAUSES["hot Python function"].make(tmp_path)
    assert by_name(topic("python", native), "python_samples") == {"tokenize": 80, "main": 20}
    (running,) = statistics(topic("cpu", native), "running_time")
    assert running["value"] == 100 * MS and running["tid"] and running["pid"]
    (tmp_path / "threads").mkdir()
    threads = on_cpu(lambda made: (made.native_runs(90 * MS, ["parse_headers", "main"]), made.native_runs(10 * MS, ["main"]),
                                   made.ends()))(tmp_path / "threads")
    assert by_name(topic("cpu", threads), "cpu_samples") == {"parse_headers": 90, "main": 10}


def test_the_peak_of_memory_is_that_of_the_statistic(tmp_path):
    report = unpacked(tmp_path / "nsys.sqlite")
    done = prof("stats", "-q", "-r", "memory_usage", "-f", "csv", report)
    peaks = [int(row["Peak (bytes)"]) for row in csv.DictReader(io.StringIO(done.stdout.strip()))]
    assert sorted(each["value"] for each in statistics(topic("memory", report), "gpu_memory_peak")) == sorted(peaks)


def test_operators(tmp_path):
    def run(program):
        for _ in range(4):
            for name, time in (("aten::mm", 300 * US), ("aten::add", 100 * US)):
                with program.range(name):
                    program.kernel(f"kernel of {name}", time)
    document = topic("operators", on_gpu(run)(tmp_path))
    assert by_name(document, "operator_time") == {"aten::mm": 1200 * US, "aten::add": 400 * US}
    assert {each["basis"] for each in statistics(document, "operator_time")} == {"derived"}


def test_findings_belong_to_topics(tmp_path):
    for name, rule in (("idle", "launch_bound"), ("memory", "pageable_copies"), ("communication", "exposed_communication")):
        (tmp_path / name).mkdir()
        case = next(each for each in CAUSES.values() if each.rule == rule)
        report = case.make(tmp_path / name)
        assert rule in [each.get("rule") for each in topic(name, report)["facts"]]
        assert rule not in [each.get("rule") for each in topic("python", report)["facts"]]
        assert rule in [each.get("rule") for each in topic("verdict,python", report)["facts"]]


def test_what_a_topic_needs_is_named_with_its_option(tmp_path):
    asked = {"gpu_work": "kernels", "cuda_calls": "idle", "ranges": "operators", "os_calls": "io", "cpu_samples": "cpu",
             "thread_states": "cpu", "python_functions": "python", "gpu_metrics": "clocks", "gpu_memory": "memory"}
    for missing, name in asked.items():
        make, option = NOT_RECORDED[missing]
        (tmp_path / missing).mkdir()
        document = topic(name, make(tmp_path / missing))
        assert option in [each.get("fix") for each in document["cannot"] if each["topic"] == missing], (missing, document["cannot"])


def test_a_budget_leaves_facts_of_each_topic(report):
    done = prof("facts", "--budget", "700", "--topic", "kernels,memory,io,record", report)
    document = json.loads(done.stdout)
    assert len(done.stdout.encode()) <= 2800 and document["dropped"]["facts"] > 0
    assert {each.get("topic") for each in document["facts"]} >= {"kernels", "memory", "io", "record"}


def test_text_has_the_same_numbers(report):
    text = prof("facts", "-f", "text", "--topic", "kernels", report).stdout
    document = topic("kernels", report)
    for each in statistics(document, "kernel_time"):
        assert f": {each['value']} ns, " in text
    assert "kernel_7" not in text.partition("\nnames (from the profiled program)\n")[0]


def slower(program):
    for _ in range(10):
        program.kernel("gemm", 3 * MS)
        program.kernel("softmax", 1 * MS)
        program.kernel("new_kernel", 1 * MS)
    program.synchronize()


def faster(program):
    for _ in range(10):
        program.kernel("gemm", 2 * MS)
        program.kernel("softmax", 1 * MS)
    program.synchronize()


def test_two_reports(tmp_path):
    reports = {}
    for name, run in (("base", faster), ("report", slower)):
        (tmp_path / name).mkdir()
        reports[name] = on_gpu(run)(tmp_path / name)
    document = facts(reports["base"], reports["report"])
    assert document["base"]["id"] == facts(reports["base"])["report"]["id"] != document["report"]["id"]
    assert {each["kind"] for each in document["facts"]} == {"change"}
    changed = {document["names"][each["subject"]]["text"]: each for each in document["facts"] if each.get("category") == "kernel"}
    assert {name: (each["before"], each["after"], each["value"], each["status"]) for name, each in changed.items()} == {
        "gemm": (20 * MS, 30 * MS, 10 * MS, "changed"), "new_kernel": (0, 10 * MS, 10 * MS, "added")}
    assert changed["gemm"]["relative"] == 0.5 and "relative" not in changed["new_kernel"]
    assert changed["gemm"]["basis"] == "measured" and set(changed["gemm"]["sql"]) == {"before", "after"}
    for query in document["queries"].values():
        assert rows(reports[query["report"]], query["sql"])[0][0] == query["value"]
    (busy,) = [each for each in document["facts"] if each["quantity"] == "gpu_busy_time"]
    assert busy["value"] == 20 * MS
    same = facts(reports["base"], reports["base"])
    assert not [each for each in same["facts"] if each["value"] != 0]
    printed = prof("facts", "--budget", "100", *reports.values()).stdout
    assert json.loads(printed)["dropped"]["facts"] > 0
    text = prof("facts", "-f", "text", *reports.values()).stdout
    assert "time: +10000000 ns, 20000000 -> 30000000 (+50.0 %), changed, 10 -> 10 times" in text
    assert "gemm" not in text.partition("\nnames")[0]


def test_ranks_of_a_job_have_their_node(tmp_path):
    make_run(tmp_path, 3, 600, "--straggler", "1:data:3")
    document = facts(tmp_path)
    assert document["report"]["reports"] == 3
    (fact,) = [each for each in document["facts"] if each["rule"] == "late_rank"]
    assert fact["rank"] == 1
    assert document["names"][fact["node"]] == {"kind": "node", "text": "node0000"}
    assert fact["value"] > 0 and fact["worst"]["pid"] == 1001


def test_wrong_command_lines(report, tmp_path):
    make_run(tmp_path, 2, 300)
    for words in (["--topic", "weather", report], ["--topic", "kernels", tmp_path], [report, report, report],
                  ["--topic", "kernels", report, report]):
        done = prof("facts", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert done.stderr.startswith("prof: ") or "--topic" in done.stderr
