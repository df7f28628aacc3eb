"""The page of a kernel shows the figures of prof stats, and is a click away from the timeline."""
import json
import os
import sqlite3
import struct
from urllib.parse import quote

import ncu_report
import pytest
from profiling import prof
from sampled_report import NAMES, SLICE, SLICES, instructions, make_sampled_report
from test_kernel_source import make_report as make_counted_report
from view_server import viewing
from viewed_page import Training, View, browsing, view_of

TILED, HISTOGRAM = NAMES["_Z10gemm_tiledPKfS0_Pfi"], NAMES["_Z16histogram_globalPKjPji"]
STATISTICS = ("kernel_profile_sum", "kernel_metrics", "kernel_roofline", "kernel_memory", "kernel_stalls",
              "kernel_occupancy", "kernel_rules", "pc_sampling_sum", "pc_sampling_lines")
ROUNDED = 0.051  # the page has one decimal


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return make_sampled_report(tmp_path_factory.mktemp("kernels") / "report.db")


@pytest.fixture(scope="module")
def server(report):
    with viewing(report) as made:
        made.exact_rows()
        yield made


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


def lines(report, statistic, kernel=None):
    done = prof("stats", "-q", "-r", statistic, "-f", "json", report)
    assert done.returncode == 0, done.stderr
    return [row for row in json.loads(done.stdout) if kernel in (None, row["Name"])]


def page_of(browser, url, kernel):
    return view_of(browser, f"{url}#view=kernels&kernel={quote(kernel)}")


def number(text):
    return float(text.replace(",", "").split()[0])


def test_a_statistic_of_one_kernel(report, server):
    """The answers for all kernels are the whole statistic."""
    for statistic in STATISTICS:
        whole = server.json("statistic", name=statistic, limit=100000)
        key = [each["header"] for each in whole["columns"]].index("Name")
        kernels = dict.fromkeys(row[key] for row in whole["rows"])
        parts = [server.json("statistic", name=statistic, kernel=each, limit=100000) for each in kernels]
        assert all(part["columns"] == whole["columns"] and not part["more"] for part in parts)
        assert [row for part in parts for row in part["rows"]] == sorted(whole["rows"],
                                                                        key=lambda row: list(kernels).index(row[key]))
        for printed, row in zip(lines(report, statistic), whole["rows"], strict=True):
            for column, value, text in zip(whole["columns"], row, printed.values(), strict=True):
                near = pytest.approx(value, abs=0.51 * 10 ** -column["decimals"]) if isinstance(value, float) else value
                assert text == near, (statistic, column, row)
    assert server.get("statistic", name="cuda_api_sum", kernel="x").status in (400, 409)
    assert server.json("statistic", name="kernel_metrics", kernel="none")["rows"] == []


@pytest.mark.parametrize("kernel", [TILED, HISTOGRAM])
def test_instructions_of_one_kernel(server, kernel):
    answer = server.json("statistic", name="pc_sampling_sass", kernel=kernel, limit=100000)
    headers = [each["header"] for each in answer["columns"]]
    rows = [dict(zip(headers, row)) for row in answer["rows"]]
    assert {row["Name"] for row in rows} == {kernel}
    whole = server.json("statistic", name="pc_sampling_sum", kernel=kernel)
    samples = [each["header"] for each in whole["columns"]].index("Samples")
    assert sum(row["Samples"] for row in rows) == sum(row[samples] for row in whole["rows"]) > 0


@pytest.mark.parametrize("kernel", [TILED, HISTOGRAM])
def test_figures_are_those_of_the_statistics(report, server, browser, kernel):
    with page_of(browser, server.url, kernel) as view:
        view.open()
        check_figures(view, report, kernel)


def check_figures(view, report, kernel):
    (profile,) = lines(report, "kernel_profile_sum", kernel)
    assert view.text("#kernel-name") == kernel and view.text("#kernel-verdict") == profile["Verdict"]
    for part, statistic in (("#kernel-launches", "kernel_occupancy"), ("#kernel-rules", "kernel_rules")):
        assert len(view.table(f"{part} table")) == len(lines(report, statistic, kernel))
    bars = {"By counters": ("kernel_stalls", "Wait (%)"), "By PC samples": ("pc_sampling_sum", "Kernel (%)")}
    for title, (statistic, header) in bars.items():
        shown = view.page.evaluate("""title => [...document.querySelectorAll('.stalls')]
            .filter((each) => each.querySelector('h3').textContent === title)
            .flatMap((each) => [...each.querySelectorAll('tr')].map((row) =>
                [row.dataset.stall, row.cells[2].textContent, row.querySelector('.stall-track').firstChild.style.width,
                 row.querySelector('.stall-track').lastChild.style.width]))""", title)
        expected = {row["Stall"]: row[header] for row in lines(report, statistic, kernel) if row[header] >= 1}
        assert [name for name, *_ in shown] == list(expected)
        for name, text, *widths in shown:
            assert number(text) == pytest.approx(expected[name], abs=ROUNDED)
            width = sum(number(each.removesuffix("%")) for each in widths)
            assert width == pytest.approx(expected[name], abs=ROUNDED)
    check_drawings(view, report, kernel)
    found = [(number(row[0]), number(row[2]), row[4]) for row in view.table("#kernel-lines") if len(row) > 1]
    assert found == [(pytest.approx(row["Kernel (%)"], abs=ROUNDED), row["Samples"],
                      row["Line"].rpartition("/")[2] or "unknown line")
                     for row in lines(report, "pc_sampling_lines", kernel)]
    check_metrics(view, report, kernel)


def check_drawings(view, report, kernel):
    points = view.page.evaluate("""[...document.querySelectorAll('.roofline .mark')].map(({ dataset }) =>
        [dataset.precision, dataset.level, Number(dataset.x), Number(dataset.y)])""")
    expected = [(row["Precision"], level, pytest.approx(row[f"{level} FLOP/byte"], abs=0.00051),
                 pytest.approx(row["GFLOP/s"] * 1e9, abs=ROUNDED * 1e9))
                for row in lines(report, "kernel_roofline", kernel) for level in ("DRAM", "L2", "L1")
                if row["GFLOP/s"] > 0 and row[f"{level} FLOP/byte"]]
    assert [tuple(each) for each in points] == expected
    links = view.page.evaluate("""[...document.querySelectorAll('.memory-link')].map((each) =>
        [each.dataset.link, each.dataset.what, each.querySelector('title').textContent,
         each.querySelector('.note').textContent])""")
    rows = {(row["Link"], row["What"]): row for row in lines(report, "kernel_memory", kernel)}
    assert {(link, what) for link, what, *_ in links} == set(rows) and len(links) == len(rows)
    for link, what, title, note in links:
        row = rows[link, what]
        assert f"{what}: {row['Bytes']:,.0f} bytes" in title
        assert ("of peak" in note) == (row["Of Peak (%)"] is not None)
        assert ("hit" in note) == (row["Hit Rate (%)"] is not None)


def check_metrics(view, report, kernel):
    shown = dict(view.page.evaluate("""[...document.querySelectorAll('.metric-sections tr')].map((row) =>
        [row.title, row.cells[1].textContent])"""))
    metrics = {row["Metric"]: row for row in lines(report, "kernel_metrics", kernel)}
    assert len(shown) > 20
    for name, text in shown.items():
        assert number(text) == pytest.approx(metrics[name]["Median"], abs=0.0051)
    assert len(view.table("#kernel-metrics details table")) == len(metrics)


def test_a_kernel_is_a_click_away(server, browser):
    """From its event, and from the list; the address shows it again."""
    with view_of(browser, server.url) as view:
        view.open("#view=timeline")
        row = view.row("kernels")
        event = next(each for each in server.json("events", row=row["id"], **{"from": 0, "to": 1 << 50})["events"]
                     if each["name"].startswith("gemm_tiled"))
        view.show(event["start"] - 1000, event["end"] + 1000)
        view.select(event)
        view.run("event")
        view.page.click("#event-kernel")
        view.settle()
        assert (view.get("page"), view.text("#kernel-name")) == ("kernels", TILED)
        view.page.click(".kernel >> text=histogram_global")
        view.wait("name => __view.kernel.figures?.name === name", HISTOGRAM)
        view.wait("name => decodeURIComponent(location.hash.replaceAll('+', ' ')).includes(name)", HISTOGRAM)
        view.page.reload()
        view.wait("Boolean(window.__view && __view.isReady && __view.isExact)")
        view.wait("name => __view.kernel.figures?.name === name", HISTOGRAM)
        view.press("t")
        assert view.get("page") == "start"
        view.press("k")
        view.wait("__view.page === 'kernels'")
        view.settle()
        assert view.text("#kernel-name") == TILED  # the selected event


def test_a_line_has_its_callers_and_instructions(report, server, browser):
    """The atomic addition is inlined into the kernel."""
    with page_of(browser, server.url, HISTOGRAM) as view:
        view.open()
        inlined = next(at for at, row in enumerate(lines(report, "pc_sampling_lines", HISTOGRAM)) if row["Inlined"])
        view.page.locator("#kernel-lines tbody tr > td:nth-child(5) button").nth(inlined).click()
        assert "inlined in histogram_global" in view.text("#kernel-lines")
        assert view.table(".instructions")


def test_one_file_shows_the_same(report, browser, tmp_path):
    page = tmp_path / "page.html"
    assert prof("view", "--html", page, report).returncode == 0
    with page_of(browser, page.as_uri(), TILED) as view:
        view.open()
        check_figures(view, report, TILED)


def test_a_report_without_metrics_says_how_to_get_them(browser, tmp_path):
    """The made-up training has kernels only."""
    with viewing(Training(tmp_path / "training.db").path) as server, view_of(browser, server.url) as view:
        view.open("#view=kernels")
        assert "prof kernel" in view.text("#kernel-main") and "--pc-sampling" in view.text("#kernel-main")
        assert not view.page.query_selector(".roofline, .memory-chart, .stalls")


def test_names_that_would_do_harm(report, browser, tmp_path):
    harmful = "</script><img src=x onerror=\"document.title='hacked'\">\u202ek<[*]>(int)"
    copy = tmp_path / "hostile.db"
    copy.write_bytes(report.read_bytes())
    with sqlite3.connect(copy) as database:
        database.execute("UPDATE StringIds SET value = ? WHERE value = ?", [harmful, TILED])
        database.execute("UPDATE StringIds SET value = ? WHERE value = 'mio_throttle'", ["<b>stall</b>"])
    with viewing(copy) as server, view_of(browser, server.url) as view:
        server.exact_rows()
        View(view.page, f"{server.url}#view=kernels&kernel={quote(harmful)}").open()
        assert "⟨U+202E⟩" in view.text("#kernel-name") and "hacked" not in view.page.title()
        assert "<b>stall</b>" in view.text("#kernel-stalls") and view.table("#kernel-lines")


def files_of(report):
    """The source files of the samples, those with the most lines first."""
    found = [row["Line"].rpartition(":")[0] for row in lines(report, "pc_sampling_lines") if row["Line"]]
    return sorted(set(found), key=found.count, reverse=True)


@pytest.fixture(scope="module", name="folder")
def source_folder(tmp_path_factory, report):
    """Has kernels.cu at the place that ends like its path, and files that must not be read."""
    folder = tmp_path_factory.mktemp("sources")
    name = files_of(report)[0].rpartition("/")[2]
    (folder / "src").mkdir()
    (folder / "src" / name).write_text("".join(f"line <b>{number}</b>\n" for number in range(1, 160)))
    return folder


def test_source_text_with_the_heat_of_lines(report, folder, browser):
    with viewing("--sources", folder / "src", report) as server, page_of(browser, server.url, TILED) as view:
        server.exact_rows()
        view.open()
        view.wait("document.querySelector('.source-text') !== null")
        rows = view.page.evaluate("""[...document.querySelectorAll('.source-text tr[data-line]')]
            .map(({ dataset, cells }) => ({line: dataset.line, percent: cells[1].textContent,
                                           samples: cells[3].textContent, code: cells[5].textContent}))""")
        shown = {int(row["line"]): row for row in rows}
        expected = {}
        for row in lines(report, "pc_sampling_lines", TILED):
            file, _, number_of_line = row["Line"].rpartition(":")
            if file == files_of(report)[0]:
                samples, percent = expected.get(int(number_of_line), (0, 0))
                expected[int(number_of_line)] = samples + row["Samples"], percent + row["Kernel (%)"]
        assert {line for line, row in shown.items() if row["samples"]} == set(expected)
        for line, (samples, percent) in expected.items():
            assert shown[line]["samples"] == f"{samples:,}" and shown[line]["code"] == f"line <b>{line}</b>"
            assert number(shown[line]["percent"]) == pytest.approx(percent, abs=2 * ROUNDED)
        assert len(shown) > len(expected)  # lines around them


def test_files_are_read_only_below_the_folders(report, folder, tmp_path):
    """And only those that the report names."""
    named = files_of(report)[0]
    name = named.rpartition("/")[2]
    with viewing(report) as server:
        answer = server.json("source", file=named)
        assert "--sources" in answer["missing"] and "lines" not in answer
    with viewing("--sources", folder / "src", report) as server:
        assert server.json("source", file=named)["lines"][0] == "line <b>1</b>"
        for other in ("/etc/passwd", "src/../../etc/passwd", name + "x"):
            assert server.get("source", file=other).status == 404
        assert server.get("source", file="").status == 400
    for content in (b"text\0", b"x" * (2 << 20) + b"\n", None):  # not a text, too large, a pipe that nobody writes to
        other = tmp_path / f"other{len(content or b'')}"
        other.mkdir()
        if content is None:
            os.mkfifo(other / name)
        else:
            (other / name).write_bytes(content)
        with viewing("--sources", other, report) as server:
            assert "missing" in server.json("source", file=named)
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / name).symlink_to(secret)
    with viewing("--sources", linked, report) as server:
        answer = server.get("source", file=named)
        assert answer.status == 200 and b"secret\\n" not in answer.body and "missing" in answer.json()
    done = prof("view", "--no-browser", "--sources", tmp_path / "none", report)
    assert done.returncode == 1 and "is not a folder" in done.stderr
    done = prof("view", "--html", tmp_path / "page.html", "--sources", folder, report)
    assert done.returncode == 2 and "--sources" in done.stderr


def test_before_and_after_in_the_roofline(report, browser, tmp_path):
    """Two reports: hollow marks are those of the first one."""
    def slower(kernel):
        for metric in list(kernel):
            if metric.startswith("smsp__sass_thread_inst_executed_op_") and metric.endswith("per_cycle_elapsed"):
                kernel[metric] *= 0.5
    before = ncu_report.make_report(tmp_path / "before.db", change=slower)
    with viewing("--align=start", before, report) as server:
        server.exact_rows()
        with view_of(browser, f"{server.url}#view=kernels&of=1&kernel={quote(TILED)}") as view:
            view.open()
            points = view.page.evaluate("""[...document.querySelectorAll('.roofline .mark')].map((each) =>
                [each.classList.contains('before'), each.dataset.level, Number(each.dataset.y)])""")
            assert len(view.page.query_selector_all(".roofline .change")) == 3
            assert "hollow: before" in view.text("#kernel-roofline")
            for path, is_before in ((before, True), (report, False)):
                rows = lines(path, "kernel_roofline", TILED)
                expected = [(level, row["GFLOP/s"] * 1e9) for row in rows for level in ("DRAM", "L2", "L1")]
                found = [(level, y) for old, level, y in points if old == is_before]
                assert found == [(level, pytest.approx(rate, abs=ROUNDED * 1e9)) for level, rate in expected]


CAUSES = {"memory": {"long_scoreboard", "lg_throttle", "tex_throttle", "membar", "drain"},
          "shared memory": {"mio_throttle", "short_scoreboard"}, "barrier": {"barrier"},
          "arithmetic": {"wait", "math_pipe_throttle", "dispatch_stall"},
          "instructions": {"no_instructions", "branch_resolving", "imc_miss"},
          "no wait": {"selected", "not_selected", "sleeping", "misc"}}


def test_a_lane_of_stalls_below_the_stream(report, server):
    """A curve for each cause: its share of the samples of each slice of time."""
    rows = server.exact_rows()["rows"]
    (row,) = [each for each in rows if each["name"] == "What warps wait for"]
    parent = next(each for each in rows if each["id"] == row["parent"])
    assert (parent["kind"], row["kind"], row["style"], row["unit"]) == ("context", "stalls", "counter", "%")
    assert row["tables"] == ["PROF_PC_SAMPLES"] and row["events"] == len(instructions())
    assert "PROF_PC_SAMPLES" not in {table for each in rows if each["id"] != row["id"] for table in each["tables"]}
    expected = []
    for name in row["series"]:
        for part in range(SLICES):
            of_slice = instructions()[part::SLICES]
            total = sum(int(each["samples"]) for each in of_slice)
            cause = sum(int(each["samples"]) for each in of_slice if each["stall"] in CAUSES[name])
            expected.append((name, part * SLICE, pytest.approx(100 * cause / total)))
        expected.append((name, SLICES * SLICE, 0))
    level = 15  # steps of 32.768 us: a tile has 33 ms
    body = server.get("tile", rows=row["id"], level=level, index=0, v=row["version"]).body
    (count,) = struct.unpack_from("<I", body, 12)
    at, columns = 40, []
    for kind, size in (("d", 8), ("d", 8), ("d", 8), ("I", 4), ("H", 2)):
        columns.append(struct.unpack_from(f"<{count}{kind}", body, at))
        at += (count * size + 7) // 8 * 8
    step = 1 << level
    found = [(row["series"][lane], start * step // 16, last) for _, _, last, start, lane in zip(*columns)]
    assert [(name, pytest.approx(time, abs=step), value) for name, time, value in expected] == found


def test_lines_by_counts(browser, tmp_path):
    """SASS metrics of `prof kernel`."""
    report = make_counted_report(tmp_path / "report.db")
    with viewing(report) as server, page_of(browser, server.url, TILED) as view:
        server.exact_rows()
        view.open()
        expected = lines(report, "kernel_source_lines", TILED)
        shown = [number(row[1]) for row in view.table("#kernel-counts table")]
        assert expected and shown == [row["Instructions"] for row in expected]
