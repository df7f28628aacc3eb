"""The page of operators shows the figures of prof stats, by module and for a selected time."""
import json
import sqlite3

import pytest
from made_up_program import MS, US
from profiling import prof
from test_operator_findings import ADD, GEMM, Operators
from view_server import viewing
from viewed_page import Training, browsing, view_of

STEPS = 3
HARMFUL = "<b onclick=x>layer</b>\u202e"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    program = Operators(tmp_path_factory.mktemp("operators") / "report.sqlite")
    for _ in range(STEPS):
        with program.range("step"):
            with program.range("Net"), program.range("mlp"):
                program.operator("aten::mm", [[8192, 8192], [8192, 8192]], GEMM, 1_389 * US)
                program.operator("aten::gelu", [[8192, 8192]], ADD, 150 * US)
            with program.range("Net"), program.range(HARMFUL):
                program.operator("aten::bmm", [[64, 512, 512], [64, 512, 512]], GEMM, 300 * US)
        program.compute(MS)
    return program.done()


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


@pytest.fixture(scope="module")
def server(report):
    with viewing(report) as made:
        made.exact_rows()
        yield made


@pytest.fixture
def view(browser, server):
    with view_of(browser, server.url) as made:
        yield made


def lines(report, statistic, *options):
    done = prof("stats", "-q", "-r", statistic, "-f", "json", *options, report)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def shown(view):
    """(operator, shapes, calls) of the rows."""
    return [(row[7], row[8], int(row[1])) for row in view.table("#operator-table")]


def expected(report, module="", *options):
    return [(row["Operator"], row["Shapes"], row["Calls"]) for row in lines(report, "operator_sum", *options)
            if not module or f"{row['Module']} > ".startswith(f"{module} > ")]


def test_figures_are_those_of_the_statistics(view, report):
    view.open("#view=operators")
    view.wait("document.querySelector('#operator-table')")
    assert shown(view) == expected(report) and len(shown(view)) == 3
    modules = lines(report, "module_tree")
    listed = view.page.evaluate("[...document.querySelectorAll('[data-module]')].map((each) => each.dataset.module)")
    assert len(listed) == 1 + len(modules) and listed[0] == ""
    for path, row in zip(listed[1:], modules):
        assert path.split(" > ")[-1] == row["Module"].strip() and path.count(" > ") == (len(row["Module"]) - len(row["Module"].lstrip())) // 2
    marks = view.page.evaluate("[...document.querySelectorAll('#operator-roofline .mark')].map((each) => [Number(each.dataset.x), Number(each.dataset.y)])")
    assert [*map(tuple, marks)] == [(pytest.approx(row["FLOP/B"], abs=0.006), pytest.approx(row["TFLOP/s"] * 1e12, abs=6e8)) for row in lines(report, "roofline")]
    rate, = {row["MFU (%)"] for row in lines(report, "mfu") if row["Found By"] == "whole recording"}
    assert f"{rate:.1f} % of the GPU's peak rate" in view.text("#operator-mfu")


def test_a_module_has_its_operators(view, report):
    view.open("#view=operators")
    view.wait("document.querySelector('[data-module]')")
    module = next(path for path in view.page.evaluate("[...document.querySelectorAll('[data-module]')].map((each) => each.dataset.module)")
                  if path.endswith("mlp"))
    view.page.click(f'[data-module="{module}"]')
    view.wait("module => document.querySelector('#operator-module').textContent === module", module)
    assert shown(view) == expected(report, module) and 0 < len(shown(view)) < 3
    assert len(view.page.query_selector_all("#operator-roofline .mark")) == len(shown(view))
    view.wait("location.hash.includes('module=')")
    view.open(view.page.evaluate("location.hash"))  # the link shows the same
    view.wait("document.querySelector('#operator-table')")
    assert view.text("#operator-module") == module


def test_operators_of_the_selected_time(view, report):
    start = min(row["Start (ns)"] for row in lines(report, "mfu"))
    end = start + 3 * MS
    view.open(f"#view=operators&area={start},{end}&time=selected")
    view.wait("document.querySelector('#operator-table')")
    part = expected(report, "", "--filter-time", f"{start}ns/{end}ns")
    assert shown(view) == part and sum(row[2] for row in part) < 3 * STEPS
    view.page.select_option("#operator-time", "all")
    view.wait("rows => document.querySelectorAll('#operator-table tbody tr').length === rows", 3)
    assert shown(view) == expected(report)


def test_a_click_leads_to_the_row_and_to_the_timeline(view):
    view.open("#view=operators")
    view.wait("document.querySelector('#operator-roofline .mark')")
    view.page.evaluate("document.querySelectorAll('#operator-roofline .mark')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert view.page.evaluate("[...document.querySelectorAll('#operator-table tr.chosen td')].map((each) => each.textContent)")[7] == "aten::bmm"
    view.page.click("#operator-table tbody tr:first-child")
    view.wait("__view.search.query === 'aten::mm' && __view.search.total > 0")
    assert not view.page.is_hidden("#timeline") and view.page.is_hidden("#operators")


def test_names_that_would_do_harm(view):
    view.open("#view=operators")
    view.wait("document.querySelector('[data-module]')")
    assert "<b onclick=x>layer</b>⟨U+202E⟩" in view.text("#module-list") and not view.page.query_selector("#operators b")


def test_one_file_shows_the_same(report, browser, tmp_path):
    page = tmp_path / "page.html"
    assert prof("view", "--html", page, report).returncode == 0
    with view_of(browser, page.as_uri()) as view:
        view.open("#view=operators")
        view.wait("document.querySelector('#operator-table')")
        assert shown(view) == expected(report)


def test_a_report_without_ranges_has_no_such_page(browser, tmp_path):
    path = Training(tmp_path / "training.db").path
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM NVTX_EVENTS")
    with viewing(path) as server, view_of(browser, server.url) as view:
        view.open()
        assert view.page.is_hidden("#tab-operators") and not view.page.is_hidden("#tab-kernels")
