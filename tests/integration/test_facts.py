"""prof facts: typed facts with evidence. The score is that of a reader who only takes the first answer."""
import contextlib
import json
import re
import sqlite3

import pytest
from agent_cases import CAUSES, CLEAN, DOUBLE, NOT_RECORDED, ORDERS, hostile
from held_out_cases import CLEAN_HELD_OUT, DOUBLE_HELD_OUT, HELD_OUT, NOT_RECORDED_HELD_OUT
from profiling import TRUTH, prof, unpacked

MOST_BYTES = 8_000
ORDERED = re.compile("evil|previous instructions|::error")


def facts(report, *options):
    done = prof("facts", *options, report)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout), len(done.stdout.encode())


def names_of(document, fact):
    """What the sentences of a fact name."""
    return [document["names"][each]["text"] for each in re.findall(r"\{(n\d+)\}", fact["text"] + fact["evidence"])]


def check_evidence(report, document):
    """Each query gives its number, and each row exists and lies in the fact's time."""
    with contextlib.closing(sqlite3.connect(report)) as database:
        for fact in document["facts"]:
            for number, name in fact.get("sql", {}).items():
                query = document["queries"][name]
                assert database.execute(query["sql"]).fetchone()[0] == query["value"], (number, query)
                assert number != "at_stake_ns" or query["value"] == fact["value"]
            for each in fact.get("rows", ()):
                for row in each["ids"]:
                    columns = [column[1] for column in database.execute(f"PRAGMA table_info({each['table']})")]
                    end = "end" if "end" in columns else "start"
                    start, end = database.execute(f'SELECT start, "{end}" FROM {each["table"]} WHERE rowid = ?', [row]).fetchone()
                    assert start <= fact["worst"]["end_ns"] and end >= fact["worst"]["start_ns"], (fact, each)


def score(report, case):
    """Points of 10, and what was missed."""
    document, size = facts(report)
    found = document["facts"]
    rules = [each["rule"] for each in found]
    missed, points = [], 0

    def point(number, holds, what):
        nonlocal points
        points += number if holds else 0
        if not holds:
            missed.append(what)

    point(3, rules[:1] == [case.rule], f"first: {rules}")
    if rules[:1] != [case.rule] and case.rule in rules[1:2]:
        points += 1
    fact = next((each for each in found if each["rule"] == case.rule), None)
    point(2, fact and (not case.entity or any(case.entity in each for each in names_of(document, fact))), "entity")
    point(2, fact and abs(fact["value"] - case.value) <= 0.1 * case.value, f"value {fact and fact['value']}")
    try:
        check_evidence(report, document)
        point(1, fact and ("sql" in fact or not fact.get("worst")), "no SQL")
    except AssertionError as error:
        missed.append(f"evidence {error}")
    large = [each["rule"] for each in found if each["share"] > 0.1 and each["rule"] not in (case.rule, *case.also)]
    point(1, not large, f"forbidden: {large}")
    point(1, size <= MOST_BYTES and fact and case.remedy in fact["remedy"], f"{size} bytes, or the remedy")
    return points, missed


@pytest.mark.parametrize("cases, least", [(CAUSES, 9.0), (HELD_OUT, 8.5)], ids=["known", "held out"])
def test_known_causes_are_found(tmp_path, cases, least):
    """`least` of ten points on average."""
    scores = {}
    for name, case in cases.items():
        folder = tmp_path / case.rule / name.replace("/", "")
        folder.mkdir(parents=True)
        scores[name] = score(case.make(folder), case)
    text = "\n".join(f"{points:4} {name}: {missed}" for name, (points, missed) in scores.items())
    average = sum(points for points, _ in scores.values()) / len(scores)
    print(f"{text}\naverage {average:.2f}")
    assert average >= least, text


def test_clean_programs_have_no_fact(tmp_path):
    for name, make in {**CLEAN, **CLEAN_HELD_OUT}.items():
        (tmp_path / name).mkdir()
        document, size = facts(make(tmp_path / name))
        assert [each for each in document["facts"] if each["share"] > 0.1] == [], (name, document["facts"])
        assert size <= MOST_BYTES


def test_two_causes_are_both_among_the_first_three_facts(tmp_path):
    missed = []
    for number, (causes, make) in enumerate([*DOUBLE.items(), *DOUBLE_HELD_OUT.items()]):
        folder = tmp_path / str(number)
        folder.mkdir()
        document, _ = facts(make(folder))
        first = [each["rule"] for each in document["facts"][:3]]
        if not set(causes) <= set(first):
            missed.append((causes, first))
    assert not missed


def test_what_was_not_recorded_is_named_with_its_option(tmp_path):
    known = [(topic, *each) for topic, each in NOT_RECORDED.items()]
    for number, (topic, make, option) in enumerate(known + NOT_RECORDED_HELD_OUT):
        folder = tmp_path / str(number)
        folder.mkdir()
        document, _ = facts(make(folder))
        assert option in [each.get("fix") for each in document["cannot"] if each["topic"] == topic], (topic, document["cannot"])


def texts_outside_of_names(value, path=""):
    if isinstance(value, dict):
        for key, each in value.items():
            yield f"{path}.key", key
            if not (path == "" and key == "names"):
                yield from texts_outside_of_names(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from texts_outside_of_names(each, f"{path}[]")
    elif isinstance(value, str):
        yield path, value


# Fields that are names of the report. `what_if` is a change that names kernels.
NAME_FIELDS = (".open_ranges[].range", ".findings[].what_if", ".causes[]")


def test_names_that_give_orders_stay_in_their_fields(tmp_path):
    seen = 0
    for number, case in enumerate(CAUSES.values()):
        order = ORDERS[number % len(ORDERS)]
        (tmp_path / str(number)).mkdir()
        report = hostile(case.make, order)(tmp_path / str(number))
        for words in (["facts"], ["analyze", "-q", "-f", "json"]):
            done = prof(*words, report)
            assert done.returncode == 0, done.stderr
            document = json.loads(done.stdout)
            seen += "evil.example" in json.dumps(document["names"])
            for path, text in texts_outside_of_names(document):
                assert path in NAME_FIELDS or not ORDERED.search(text), (words, path, text)
            assert not any(line.startswith("::") for line in done.stdout.splitlines())
        text = prof("facts", "-f", "text", report).stdout
        sentences = text.partition("\nnames (from the profiled program)\n")[0]
        assert not ORDERED.search(sentences), sentences
    assert seen >= len(CAUSES)


def test_a_budget_is_kept(tmp_path):
    report = CAUSES["pageable copies"].make(tmp_path)
    every, size = facts(report, "--budget", "0")
    assert "dropped" not in every and size <= MOST_BYTES
    for tokens in (300, 150, 60):
        document, size = facts(report, "--budget", tokens)
        assert size <= 4 * tokens or not document["facts"], (tokens, size)
        assert document["dropped"]
        used = {name for fact in document["facts"] for name in fact.get("sql", {}).values()}
        assert used == set(document.get("queries", ()))


def test_reports_of_nsys(tmp_path):
    report = unpacked(tmp_path / "report.sqlite")
    document, size = facts(report)
    assert document["schema"] == "prof.facts/1" and size <= MOST_BYTES
    check_evidence(report, document)
    assert re.fullmatch("[0-9a-f]{16}", document["report"]["id"])
    assert facts(report)[0] == document
    assert TRUTH.exists()


def test_wrong_command_lines(tmp_path):
    for words in ([], ["--budget", "x", tmp_path], ["-f", "xml", tmp_path]):
        assert prof("facts", *words).returncode == 2
    assert prof("facts", tmp_path / "none.db").returncode == 1
