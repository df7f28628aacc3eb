"""prof check: claims that are true of a report, claims that are not, and claims about what was not recorded."""
import contextlib
import json
import sqlite3

import pytest
from agent_cases import CAUSES, NOT_RECORDED
from profiling import prof

VIEWS = {"kernel": ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"), "call": ("OSRT_API", "nameId")}


def check(report, claims):
    done = prof("check", "-f", "json", report, *claims)
    return json.loads(done.stdout)["claims"], done.returncode


def lengths_by_name(report, kind):
    """For each name of events, their lengths in ns. Calls are of one table here, so reports with more are left out."""
    table, name = VIEWS[kind]
    found = {}
    with contextlib.closing(sqlite3.connect(report)) as database, contextlib.suppress(sqlite3.OperationalError):
        if kind == "call" and database.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_RUNTIME'").fetchone()[0]:
            return {}
        for text, length in database.execute(f'SELECT s.value, t."end" - t.start FROM {table} AS t JOIN StringIds AS s ON s.id = t.{name}'):
            found.setdefault(text, []).append(length)
    return {text: sorted(each) for text, each in found.items() if "'" not in text and not set("*?[") & set(text)}


def claims_about(report):
    """Claims that hold, and the same with a number that is off by 5 %, or by one."""
    true, false = [], []
    for kind in VIEWS:
        for name, lengths in lengths_by_name(report, kind).items():
            of = f"{kind}('{name}')"
            for number, value in (("total", sum(lengths)), ("max", lengths[-1]), ("median", lengths[len(lengths) // 2])):
                true += [f"{of}.{number} = {value}ns", f"{of}.{number} between {0.99 * value}ns and {1.01 * value}ns"]
                false += [f"{of}.{number} = {1.05 * value}ns", f"{of}.{number} > {1.05 * value}ns"]
            true.append(f"count({of}) = {len(lengths)}")
            false.append(f"count({of}) = {len(lengths) + 1}")
    document = json.loads(prof("facts", "--budget", "0", report).stdout)
    for fact in document["facts"]:
        share, value = fact["share"], fact["value"]
        true += [f"{fact['rule']}.share > {0.95 * share:.6f}", f"{fact['rule']}.value between {0.95 * value}ns and {1.05 * value}ns",
                 fact["verify"]]
        false += [f"{fact['rule']}.share < {0.85 * share:.6f}", f"{fact['rule']}.value = {1.5 * value}ns",
                  f"{fact['rule']}.share > {min(1.5 * share, 5):.6f}"]
    return true, false


def test_claims_are_judged_as_the_report_says(tmp_path):
    true_claims, false_claims, wrong = 0, 0, []
    for number, case in enumerate(CAUSES.values()):
        (tmp_path / str(number)).mkdir()
        report = case.make(tmp_path / str(number))
        true, false = claims_about(report)
        for claims, verdict in ((true, "supported"), (false, "contradicted")):
            for begin in range(0, len(claims), 40):
                judged, status = check(report, claims[begin:begin + 40])
                wrong += [each for each in judged if each["verdict"] != verdict]
                assert status == (0 if verdict == "supported" else 3)
        true_claims += len(true)
        false_claims += len(false)
    assert not wrong, wrong[:5]
    assert true_claims >= 200 and false_claims >= 200, (true_claims, false_claims)


UNMEASURABLE = {
    "gpu_work": ["kernel.count > 3", "kernel('gemm*').total > 3ms", "launch_bound.share > 0.5", "cause = pageable_copies",
                 "copy.bytes > 3MB", "cause = fp32_gemm"],
    "cuda_calls": ["cause = single_stream", "single_stream.share > 0.3", "cause = allocator_churn", "allocator_churn.value > 3ms"],
    "ranges": ["range('step').median < 20ms", "range.count = 3", "first(range('a')) before first(range('b'))",
               "slow_links.share > 0.1", "cause = slow_links", "cause = small_messages"],
    "cpu_samples": ["hot_function.share > 0.3", "cause = exceptions", "heap_allocation.value > 1ms", "cause = hot_function"],
    "thread_states": ["too_few_cpus.share > 0.3", "cause = uneven_threads", "cause = short_processes",
                      "interpreter_lock.share > 0.2"],
    "python_functions": ["cause = hot_python_function", "python_imports.share > 0.1", "big_messages.share > 0.2"],
    "gpu_metrics": ["cause = full_pcie", "cause = memory_bound_kernels", "full_nvlink.share > 0.5", "shared_gpu.share > 0.3",
                    "cause = idle_tensor_cores"],
    "kernel_stalls": ["cause = bank_conflicts", "memory_stalls.share > 0.5", "cause = warp_stalls", "local_memory.share > 0.1",
                      "cause = uncoalesced_accesses"],
}


@pytest.mark.parametrize("topic", UNMEASURABLE)
def test_what_was_not_recorded_is_not_measurable(tmp_path, topic):
    make, option = NOT_RECORDED[topic]
    judged, status = check(make(tmp_path), UNMEASURABLE[topic])
    assert status == 4
    for each in judged:
        assert (each["verdict"], each["fix"]) == ("not measurable", option), each
        assert each["why"].startswith(topic + ": ") and "value" not in each


REMOVED = {
    # What a claim is about: the tables that are removed, and the option that records them.
    "kernel": (("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"), "-t cuda"),
    "call": (("OSRT_API",), "-t osrt"),
    "hot_python_function": (("PROF_PYTHON_SAMPLES",), "--python-sampling=true"),
}


def drop(report, tables):
    with contextlib.closing(sqlite3.connect(report)) as database:
        for table in tables:
            database.execute(f"DROP TABLE IF EXISTS {table}")
        database.commit()


def test_claims_whose_tables_are_removed_are_not_measurable(tmp_path):
    """The claims were true before. Each has the option that records its events again."""
    seen, wrong = 0, []
    for number, case in enumerate(list(CAUSES.values())[1::2]):  # half of them are enough
        (tmp_path / str(number)).mkdir()
        report = case.make(tmp_path / str(number))
        true, _ = claims_about(report)
        runs_on_gpu = bool(lengths_by_name(report, "kernel"))
        rules = [each for each in true if case.rule in each] + [f"cause = {case.rule}"]
        kind = "kernel" if runs_on_gpu else "hot_python_function" if case.rule == "hot_python_function" else "call"
        asked = [each for each in true if f"{kind}('" in each][:8] + rules
        judged, _ = check(report, asked)
        asked = [each["claim"] for each in judged if each["verdict"] in ("supported", "contributing")]
        tables, option = REMOVED[kind]
        drop(report, tables)
        judged, status = check(report, asked)
        wrong += [each for each in judged if (each["verdict"], each.get("fix")) != ("not measurable", option)]
        assert status == 4
        seen += len(asked)
    assert not wrong, wrong[:5]
    assert seen >= 50, seen


def test_calls_of_an_api_that_was_not_recorded(tmp_path):
    """The report has calls of CUDA, so nothing is known about a name of the C library, and the other way round."""
    report = CAUSES["slow disk in workers"].make(tmp_path)
    claims = ["call('poll').count > 0", "call('cudaLaunchKernel*').count > 0"]
    assert [each["verdict"] for each in check(report, claims)[0]] == ["supported"] * 2
    drop(report, ["OSRT_API"])
    judged, _ = check(report, claims)
    assert [(each["verdict"], each.get("fix")) for each in judged] == [("not measurable", "-t osrt"), ("supported", None)]
    assert check(report, ["call('cudaNothing').count = 0"])[0][0]["verdict"] == "supported"


def test_causes(tmp_path):
    report = CAUSES["slow disk in workers"].make(tmp_path)
    judged, status = check(report, ["cause = data_loading", "cause = pageable_copies"])
    assert [each["verdict"] for each in judged] == ["supported", "contradicted"] and status == 3
    assert judged[1]["larger"] == "data_loading"
    assert prof("check", report, "cause = data_loading").returncode == 0
    done = prof("check", report, "time > 1ms", "launch_bound.share > 0.9")
    assert done.returncode == 3 and done.stdout.startswith("supported: time > 1ms (")


def test_order(tmp_path):
    report = CAUSES["a flush for each write"].make(tmp_path)
    assert prof("check", report, "first(call('fsync')) before first(call)").returncode == 3
    assert prof("check", report, "first(call('none')) before first(call)").returncode == 4


WRONG = ["", "x", "launch_bound", "launch_bound.share", "launch_bound.size > 3", "nonsense.share > 0.5", "cause = nonsense",
         "kernel('a).total > 3ms", "kernel('a').total > 3", "kernel('a').count > 3ms", "kernel('a').bytes > 3MB", "time = x",
         "time > 3ms and more", "first(kernel) before kernel", "kernel('*a*b*c*d*e*').count = 1", "range(step).count = 1",
         "count(thread('a')) = 1", "time between 3ms", "x" * 2_000]


@pytest.mark.parametrize("claim", WRONG)
def test_wrong_claims(tmp_path, claim):
    report = CAUSES["4-byte reads"].make(tmp_path)
    done = prof("check", report, claim)
    assert done.returncode in (1, 2) and done.stderr.startswith("prof: ") and done.stdout == "", done
    assert prof("check", report).returncode == 2
