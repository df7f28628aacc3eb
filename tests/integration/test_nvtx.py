"""NVTX rows equal the output of known-answer clients: C, C++, Python, several DSOs, forks."""
from collections import Counter

import pytest
from profiling import (CATEGORY, DOMAIN_CREATE, DOMAIN_DESTROY, MARK, PUSH_POP, START_END, THREAD_NAME, profile,
                       program, source_of)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("zoo"), program("nvtx_zoo"))


def test_push_pop_of_the_default_domain(zoo):
    names = [row["name"] for row in zoo.nvtx(PUSH_POP, "")]
    assert names == ["outer", "inner", "iteration 0", "iteration 1", "iteration 2", "wide é€😀",
                     "in helper", "never popped"]
    outer, inner = zoo.nvtx(PUSH_POP, "")[:2]
    assert outer["start"] <= inner["start"] <= inner["end"] <= outer["end"]


def test_levels_that_push_and_pop_return(zoo):
    # outer, inner, its pop, pop of outer, one pop too many, pop in a domain
    assert zoo.expected()["levels"] == [0, 1, 1, 0, -1, 0]


def test_an_unmatched_pop_is_reported_and_nothing_else_happens(zoo):
    assert "nvtxRangePop calls without a range to pop: 1." in zoo.diagnostics()


def test_threads(zoo):
    expected = zoo.expected()
    by_name = {row["name"]: row for row in zoo.nvtx(PUSH_POP, "")}
    assert by_name["outer"]["tid"] == expected["main"]
    assert by_name["in helper"]["tid"] == expected["helper"]
    assert by_name["outer"]["pid"] == expected["main"] == by_name["in helper"]["pid"]


def test_marks_have_no_end(zoo):
    marks = zoo.nvtx(MARK)
    assert [(row["name"], row["domain"]) for row in marks] == [
        ("plain mark", ""), ("wide mark", ""), ("zoo mark", "zoo")]
    assert all(row["end"] is None for row in marks)


def test_registered_strings_colors_categories_and_every_payload(zoo):
    rows = zoo.nvtx(PUSH_POP, "zoo")
    assert len(rows) == 6
    for row in rows:
        assert row["text"] is None and row["name"] == "registered"
        assert row["color"] == 0xFF00FF80 and row["category"] == 3
    columns = ["uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue"]
    values = [1 << 40, -5, 2.5, 4000000000, -7, 0.5]
    for i, row in enumerate(rows):
        assert [row[column] for column in columns] == [
            values[i] if column == columns[i] else None for column in columns]


def test_what_was_not_given_is_null(zoo):
    outer = zoo.nvtx(PUSH_POP, "")[0]
    for column in ("rangeId", "category", "color", "textId", "endGlobalTid", "uint64Value",
                   "doubleValue", "jsonText", "jsonTextId", "binaryData"):
        assert outer[column] is None, column
    assert outer["domainId"] == 0


def test_domains_and_categories_are_named(zoo):
    assert [(row["text"], row["domainId"]) for row in zoo.nvtx(DOMAIN_CREATE)] == [
        ("zoo", 1), ("wide-domain", 2)]
    assert [row["domainId"] for row in zoo.nvtx(DOMAIN_DESTROY)] == [2]
    assert {(row["text"], row["category"], row["domainId"]) for row in zoo.nvtx(CATEGORY)} == {
        ("io-category", 7, 0), ("zoo-category", 3, 1)}


def test_start_end_ranges_also_across_threads(zoo):
    expected = zoo.expected()
    rows = {row["name"]: row for row in zoo.nvtx(START_END)}
    assert set(rows) == {"started here", "crossing", "domain start", "never ended"}
    assert len({row["rangeId"] for row in rows.values()}) == 4
    assert rows["domain start"]["domain"] == "zoo"
    assert rows["started here"]["endGlobalTid"] is None
    crossing = rows["crossing"]
    assert crossing["tid"] == expected["main"]
    assert crossing["endGlobalTid"] & 0xFFFFFF == expected["helper"]
    assert crossing["end"] > crossing["start"]


def test_ranges_that_never_ended_end_with_the_recording(zoo):
    rows = {row["name"]: row for row in zoo.nvtx()}
    end = rows["never ended"]["end"]
    assert rows["never popped"]["end"] == end
    assert max(row["end"] or 0 for row in zoo.nvtx()) == end <= zoo.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert "NVTX ranges that never ended: 2." in zoo.diagnostics()


def test_thread_names(zoo):
    helper = zoo.expected()["helper"]
    named = zoo.nvtx(THREAD_NAME)
    assert [(row["text"], row["tid"]) for row in named] == [("the-helper", helper)]
    assert zoo.value("SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId "
                     "WHERE t.globalTid & 0xffffff = ?", helper) == "the-helper"


def test_cpp_client(tmp_path):
    report = profile(tmp_path, program("nvtx_cpp"))
    ranges = Counter((row["name"], row["domain"]) for row in report.nvtx(PUSH_POP))
    assert ranges == {("cpp outer", ""): 1, ("cpp inner", "cpp-library"): 1,
                      ("registered in cpp", "cpp-library"): 5, ("annotated", "cpp-library"): 1}
    inner = next(row for row in report.nvtx(PUSH_POP) if row["name"] == "cpp inner")
    assert inner["int64Value"] == -42 and inner["color"] == 0xFF0080FF and inner["category"] == 11
    unique = report.nvtx(START_END)[0]
    assert unique["name"] == "cpp unique" and unique["endGlobalTid"] & 0xFFFFFF != unique["tid"]
    assert [row["name"] for row in report.nvtx(MARK)] == ["cpp mark"]


@pytest.fixture
def python():
    pytest.importorskip("nvtx")
    import sys
    return sys.executable


def test_python_client(tmp_path, python):
    report = profile(tmp_path, python, source_of("nvtx_py.py"))
    ranges = Counter((row["name"], row["domain"]) for row in report.nvtx(PUSH_POP))
    assert ranges == {("step 0", "py"): 1, ("step 1", "py"): 1, ("step 2", "py"): 1,
                      ("step 3", "py"): 1, ("inner", ""): 4, ("decorated", "py"): 3,
                      ("pushed", ""): 1, ("in thread", "py"): 1}
    steps = [row for row in report.nvtx(PUSH_POP, "py") if row["name"].startswith("step")]
    assert [row["int64Value"] for row in steps] == [0, 1, 2, 3]
    categories = {row["category"]: row["name"] for row in report.nvtx(CATEGORY)}
    assert all(categories[row["category"]] == "steps" for row in steps)
    assert [row["name"] for row in report.nvtx(START_END, "py")] == ["started"]
    assert [row["name"] for row in report.nvtx(MARK)] == ["marked"]
    thread = next(row for row in report.nvtx(PUSH_POP) if row["name"] == "in thread")
    assert thread["tid"] != thread["pid"]


def test_python_module_annotates_functions(tmp_path, python):
    report = profile(tmp_path, python, "-m", "nvtx", source_of("nvtx_plain.py"))
    assert report.done.stdout == "5\n"
    calls = sum("fibonacci" in row["name"] for row in report.nvtx(PUSH_POP))
    assert calls == 15  # fibonacci(5) makes 15 calls in all


@pytest.fixture(scope="module")
def payloads(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("payloads"), program("nvtx_payloads"))


def test_levels_of_ranges_with_payloads(payloads):
    # default domain: three pushes, three pops; own domain: push, two pops, one pop too many
    assert payloads.expected()["levels"] == [0, 1, 2, 2, 1, 0, 1, 1, 0, -1]
    assert "nvtxRangePop calls without a range to pop: 1." in payloads.diagnostics()


def test_a_pop_with_a_payload_ends_the_innermost_range(payloads):
    marks = {row["name"]: row["start"] for row in payloads.nvtx(MARK)}
    ranges = {(row["name"], row["domain"]): row for row in payloads.nvtx(PUSH_POP) if "of" not in (row["name"] or "")}
    outer, inner = ranges["outer", ""], ranges["inner", ""]
    assert outer["start"] <= inner["start"] <= inner["end"] <= marks["after inner"]
    unnamed = next(row for row in payloads.nvtx(PUSH_POP, "") if row["name"] is None)
    assert outer["start"] <= unnamed["start"] <= inner["start"]
    assert marks["after inner"] <= unnamed["end"] <= marks["after payload"] <= outer["end"] <= marks["after outer"]
    reduce, step = ranges["reduce", "payloads"], ranges["step", "payloads"]
    assert reduce["start"] <= step["start"] <= step["end"] <= marks["after step"]
    assert marks["after step"] <= reduce["end"] <= marks["after reduce"]


def test_marks_and_started_ranges_with_payloads(payloads):
    assert Counter(row["domain"] for row in payloads.nvtx(MARK) if row["name"] is None) == {"": 1, "payloads": 1}
    started = payloads.nvtx(START_END)
    assert Counter((row["name"], row["domain"]) for row in started) == {
        (None, ""): 1, ("started", ""): 1, (None, "payloads"): 1}
    after = next(row["start"] for row in payloads.nvtx(MARK) if row["name"] == "after started")
    assert all(row["start"] <= row["end"] <= after and row["rangeId"] != 0 for row in started)
    crossing = next(row for row in started if row["domain"] == "payloads")
    assert crossing["endGlobalTid"] & 0xFFFFFF != crossing["tid"]


def test_payloads_in_libraries_that_are_opened_and_closed(payloads):
    """nvtx_payload_dso, twice."""
    rows = payloads.nvtx(PUSH_POP, "")
    assert not [text for text in payloads.diagnostics() if "never ended" in text]
    for name in ("one", "two"):
        outer = [row for row in rows if row["name"] == f"outer of {name}"]
        inner = [row for row in rows if row["name"] == f"inner of {name}"]
        assert len(outer) == len(inner) == 2
        for around, within in zip(outer, inner):
            assert around["start"] <= within["start"] <= within["end"] <= around["end"]
    assert sum(row["name"] is None for row in rows) == 1 + 4 + 4


def test_ids_of_schemas_and_enabled_domains(payloads, tmp_path):
    assert payloads.expected()["schema"] >= 1 << 32
    assert payloads.expected()["enabled"] == 1
    excluded = profile(tmp_path, program("nvtx_payloads"), options=["--nvtx-domain-exclude", "payloads"])
    assert excluded.expected()["enabled"] == 0 and excluded.expected()["schema"] >= 1 << 32


def test_two_dsos_share_a_domain_by_name(tmp_path):
    report = profile(tmp_path, program("nvtx_two_dsos"))
    ranges = Counter((row["name"], row["domain"]) for row in report.nvtx(PUSH_POP))
    assert ranges == {("main", ""): 1, ("work in one", "shared-domain"): 10,
                      ("work in two", "shared-domain"): 20, ("work in one", "domain-of-one"): 10,
                      ("work in two", "domain-of-two"): 20}
    assert len(report.nvtx(DOMAIN_CREATE)) == 3


def test_fork_goes_on_with_inherited_names(tmp_path):
    report = profile(tmp_path, program("nvtx_fork"))
    expected = report.expected()
    ranges = Counter((row["pid"], row["name"], row["domain"]) for row in report.nvtx(PUSH_POP))
    assert ranges == {(expected["parent"], "forked-name", "forked-domain"): 3,
                      (expected["child"], "forked-name", "forked-domain"): 7,
                      (expected["parent"], "around fork", ""): 1}
    categories = {(row["pid"], row["text"]) for row in report.nvtx(CATEGORY)}
    assert categories == {(expected["parent"], "forked-category"),
                          (expected["child"], "forked-category")}


@pytest.mark.parametrize("option, domains", [
    ("--nvtx-domain-include=zoo", {"zoo"}),
    ("--nvtx-domain-include=default", {""}),
    ("--nvtx-domain-include=default,wide-domain", {"", "wide-domain"}),
    ("--nvtx-domain-exclude=zoo", {"", "wide-domain"}),
    ("--nvtx-domain-exclude=default,zoo,wide-domain", set()),
])
def test_domain_filters(tmp_path, option, domains):
    report = profile(tmp_path, program("nvtx_zoo"), options=[option])
    assert {row["domain"] for row in report.nvtx(PUSH_POP)} == domains


def test_without_nvtx_nothing_of_it_is_recorded(tmp_path):
    from profiling import Report, prof
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "r.db", program("nvtx_zoo"))
    assert done.returncode == 0
    assert "NVTX_EVENTS" not in Report(tmp_path / "r.db").tables()
