"""prof check REPORT answer.md: the numbers of a text, paired with the names of the report that stand near them."""
import json

import pytest
from agent_cases import CAUSES, NOT_RECORDED, ORDER, hostile, on_gpu
from made_up_program import MS, US
from profiling import prof
from test_check import lengths_by_name
from test_facts import texts_outside_of_names

UNITS = (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1))


def written(time):
    """A time as people write it, with three digits."""
    unit, factor = next((unit, factor) for unit, factor in UNITS if time >= factor or unit == "ns")
    return f"{float(f'{time / factor:.3g}'):g} {unit}"


def check(folder, report, text):
    answer = folder / "answer.md"
    answer.write_text(text)
    done = prof("check", "-f", "json", report, answer)
    assert done.stderr == ""
    document = json.loads(done.stdout)
    for each in document["claims"]:
        each["name"] = document.get("names", {}).get(each.get("subject"), {}).get("text")
    return document["claims"], done.returncode


def sentences(report):
    """Sentences whose numbers are those of the report, and the same with wrong ones."""
    true, false = [], []
    for kind in ("kernel", "call"):
        for name, lengths in lengths_by_name(report, kind).items():
            total, median, longest = sum(lengths), lengths[len(lengths) // 2], lengths[-1]
            if total < 1_000 or "\n" in name:
                continue
            true.append(f"`{name}` takes {written(total)} in total, with a median of {written(median)}; `{name}` runs {len(lengths)} times.")
            true.append(f"The longest call of `{name}` lasts about {written(longest)}")
            false.append(f"`{name}` takes {written(2 * total)} in total.")
            false.append(f"The median of `{name}` is {written(3 * median)}")
            false.append(f"`{name}` runs {len(lengths) + 1} times")
    document = json.loads(prof("facts", "--budget", "0", report).stdout)
    for fact in document["facts"]:
        if fact["rule"] == "synchronization" or "_" not in fact["rule"]:
            continue
        name = fact["rule"].replace("_", "-")
        true.append(f"The program is {name}: {100 * fact['share']:.1f} % of the time, {written(fact['value'])}.")
        false.append(f"{fact['rule']} costs {written(2.5 * fact['value'])}")
    return true, false


def test_answers_are_judged_as_the_report_says(tmp_path):
    numbers = 0
    for number, case in enumerate(list(CAUSES.values())[::2]):  # half of them are enough
        folder = tmp_path / str(number)
        folder.mkdir()
        report = case.make(folder)
        true, false = sentences(report)
        for lines, verdict, status in ((true, "supported", 0), (false, "contradicted", 3)):
            judged, returned = check(folder, report, "\n\n".join(lines))
            assert {each["verdict"] for each in judged} == {verdict}, [each for each in judged if each["verdict"] != verdict][:3]
            assert returned == status and {each["line"] for each in judged} == set(range(1, 2 * len(lines), 2))
            numbers += len(judged)
    assert numbers > 100, numbers


def three_kernels(program):
    for _ in range(10):
        program.kernel("gemm_128x64", 3 * MS)
        program.kernel("softmax", 400 * US)
        with program.range("train step"):
            program.compute(1 * MS)
    program.copy(8_000_000, 2 * MS)
    program.synchronize()


@pytest.fixture(scope="module", name="report")
def fixture_report(tmp_path_factory):
    return on_gpu(three_kernels)(tmp_path_factory.mktemp("answers"))


ANSWERS = {
    # The nearest name before a number counts, and digits of names are not numbers.
    "gemm_128x64 takes 30 ms, `softmax` 4 ms.": [("gemm_128x64", "supported"), ("softmax", "supported")],
    "gemm_128x64 takes 4 ms, `softmax` 30 ms.": [("gemm_128x64", "contradicted"), ("softmax", "contradicted")],
    "30 ms are in gemm_128x64": [("gemm_128x64", "supported")],
    "Each gemm_128x64 takes 3.0 ms": [("gemm_128x64", "supported")],
    "gemm_128x64: mean 30 ms": [("gemm_128x64", "contradicted")],
    "gemm_128x64 takes 3 ms": [("gemm_128x64", "supported")],
    "| gemm_128x64 | 30.00 ms | 10 calls |": [("gemm_128x64", "supported")] * 2,
    "- `train step`: 1 ms on average,\n  10 times": [("train step", "supported")] * 2,
    "gemm_128x64 takes 30.2 ms": [("gemm_128x64", "supported")],  # 1 % is allowed
    "gemm_128x64 takes 30.5 ms": [("gemm_128x64", "contradicted")],
    "gemm_128x64 takes more than 20 ms": [("gemm_128x64", "supported")],
    "gemm_128x64 takes more than 40 ms": [("gemm_128x64", "contradicted")],
    "gemm_128x64 takes at most 1 ms in total": [("gemm_128x64", "contradicted")],
    "gemm_128x64 has 88.2 % of the kernels' time": [("gemm_128x64", "supported")],
    "The GPU copies 8 MB": [(None, "unsupported")],
    "Half of 1,234.5 ms is nothing": [(None, "unsupported")],
    # Not every time near a name is that of the name.
    "The first gemm_128x64 starts at 7 s": [("gemm_128x64", "unsupported")],
    "A fused gemm_128x64 would save 7 s": [("gemm_128x64", "unsupported")],
    "softmax takes 99 s": [(None, "unsupported")],  # a word of the language needs quotes
    "There are 128x64 tiles, in version 3.5 of 2026-11-30, with -O2": [],
    "```\ngemm_128x64 99 ms\n```\nNothing else.": [],
    "launch_bound costs 99 ms": [("launch_bound", "contradicted")],
    "bank-conflicts cost 99 ms": [("bank_conflicts", "not measurable")],
}


@pytest.mark.parametrize("text", ANSWERS)
def test_numbers_and_names(report, tmp_path, text):
    judged, status = check(tmp_path, report, text)
    assert [(each["name"], each["verdict"]) for each in judged] == ANSWERS[text], judged
    assert status == (3 if "contradicted" in [verdict for _, verdict in ANSWERS[text]] else 0)
    for each in judged:
        assert ("fix" in each) == (each["verdict"] == "not measurable")
        assert "value" in each or each["verdict"] in ("unsupported", "not measurable")


def test_what_the_report_cannot_say_has_its_option(tmp_path):
    make, option = NOT_RECORDED["gpu_work"]
    judged, status = check(tmp_path, make(tmp_path), "pageable_copies take 3 ms, launch-bound 40 %.")
    assert [(each["verdict"], each["fix"]) for each in judged] == [("not measurable", option)] * 2 and status == 0


def test_names_stay_in_their_field(tmp_path):
    report = hostile(CAUSES["FP32 products"].make, f" {ORDER}")(tmp_path)
    kernel = next(iter(lengths_by_name(report, "kernel")))
    answer = tmp_path / "answer.md"
    answer.write_text(f"`{kernel}` takes 1 ns")
    done = prof("check", "-f", "json", report, answer)
    document = json.loads(done.stdout)
    assert ORDER in document["names"]["n1"]["text"] and done.returncode == 3
    assert not [text for _, text in texts_outside_of_names(document) if ORDER in text]
    text = prof("check", report, answer).stdout
    assert text.startswith("contradicted: line 1: 1 ns {n1} ") and ORDER not in text.partition("\nnames")[0]


def test_claims_and_texts_together(report, tmp_path):
    answer = tmp_path / "answer.md"
    answer.write_text("gemm_128x64 takes 30 ms.")
    done = prof("check", report, "count(kernel('softmax')) = 10", answer)
    assert done.returncode == 0 and done.stdout.count("supported: ") == 2
    assert prof("check", report, "count(kernel('softmax')) = 11", answer).returncode == 3
    answer.write_bytes(b"\xff\x00gemm_128x64 \xe2\x82 30 ms\n" + b"`" * 1000)
    assert prof("check", report, answer).returncode == 0
    answer.write_bytes(b"`softmax` 4 ms. " * 6_000)  # one paragraph
    assert prof("check", report, answer).stdout.count("supported: ") == 6_000
    answer.write_bytes(b"x" * 100_001)
    done = prof("check", report, answer)
    assert done.returncode == 1 and "at most 100000 bytes" in done.stderr
    answer.write_bytes(b"")
    assert (prof("check", report, answer).stdout, prof("check", report, tmp_path / "none.md").returncode) == ("", 2)
