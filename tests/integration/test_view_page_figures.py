"""The figures that the page shows of seven reports, on its start page and in its drawer, are those of plain SQL."""
import contextlib
import sqlite3
from decimal import ROUND_HALF_UP, Decimal

import pytest
from seven_reports import REPORTS
from view_server import viewing
from viewed_page import browsing, view_of

MIN_FIGURES = 10  # compared on each page
KERNELS = "SELECT value AS name, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"
API_CALLS = "SELECT replace(replace(value, '_v3020', ''), '_v7000', '') AS name, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId"
OS_CALLS = "SELECT value AS name, start, end FROM OSRT_API JOIN StringIds ON id = nameId"
# Functions of one name in two places are two functions: every file of Python has its <module>.
CPU_SAMPLES = """SELECT symbols.value AS name, modules.value AS place, COMPOSITE_EVENTS.id AS sample, stackDepth AS depth, start
    FROM COMPOSITE_EVENTS JOIN SAMPLING_CALLCHAINS USING (id)
    JOIN StringIds AS symbols ON symbols.id = symbol JOIN StringIds AS modules ON modules.id = module"""
PYTHON_SAMPLES = """SELECT symbols.value AS name,
      CASE WHEN line IS NULL THEN modules.value ELSE substr(modules.value, 1, length(modules.value) - length(line) - 1) END AS place,
      PROF_PYTHON_SAMPLES.rowid AS sample, stackDepth AS depth, start
    FROM PROF_PYTHON_SAMPLES JOIN PROF_PYTHON_CALLCHAINS ON PROF_PYTHON_CALLCHAINS.id = callchainId
    JOIN StringIds AS symbols ON symbols.id = symbol JOIN StringIds AS modules ON modules.id = module"""


def percent(part, whole):
    """With one decimal. A page rounds halves up, Python rounds them to an even digit."""
    return str(Decimal(100 * part / whole).quantize(Decimal("0.1"), ROUND_HALF_UP))


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


class Figures:
    """Compares what a page shows with what a report holds."""

    def __init__(self, view, path):
        self.view = view
        self.path = path
        self.compared = 0

    def query(self, sql, **parameters):
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            return database.execute(sql, parameters).fetchall()

    def texts(self, function, numbers):
        """How the page shows numbers: with `duration`, `count` or `percent` of its text.js."""
        return self.view.page.evaluate(
            "async ([name, numbers]) => numbers.map((await import('./page/text.js'))[name])", [function, list(numbers)])

    def compare(self, what, shown, expected):
        assert shown == expected, (what, shown, expected)
        self.compared += len(expected) if isinstance(expected, list) else 1

    def has(self, sentence, *texts):
        for text in texts:
            assert text in sentence, (text, sentence)
        self.compared += len(texts)

    # --- the start page

    def names_with_most_time(self, selector, rows, has_share):
        """Rows of SQL have a name, a total and a count. The table may have other rows, too."""
        shown = {cells[-1].removesuffix(" (tensor cores)"): cells[:-1] for cells in self.view.table(selector)}
        everything = sum(total for _, total, _ in rows)
        for name, total, count in [row for row in rows if row[0] in shown][:4]:
            expected = [*self.texts("percent", [total / everything] if has_share else []),
                        *self.texts("duration", [total]), *self.texts("count", [count]),
                        *self.texts("duration", [total / count])]
            self.compare(name, shown[name], expected)

    def functions_with_most_samples(self, selector, samples):
        whole, = self.query(f"SELECT count(DISTINCT sample) FROM ({samples})")[0]
        rows = self.query(f"""SELECT name, place, count(*) FROM ({samples}) WHERE depth = 0
            GROUP BY name, place ORDER BY 3 DESC LIMIT 5""")
        shown = [cells[2:] + cells[:2] for cells in self.view.table(selector)]
        for name, place, count in rows:
            row = [name, place.rpartition("/")[2], *self.texts("percent", [count / whole]), *self.texts("count", [count])]
            assert row in shown, (row, shown)
            self.compared += 2

    # --- the drawer

    def open_statistics(self, span=None):
        if self.view.get("page") != "timeline":
            self.view.press("t")
            self.view.wait("__view.page === 'timeline'")
        if span:
            self.view.page.evaluate("([start, end]) => __view.setArea(start, end)", list(span))
        self.view.page.evaluate("__view.run('statistics')")
        self.view.wait("document.querySelector('#statistic')")

    def statistic(self, name):
        """The rows of a statistic as dictionaries, by their last cell."""
        self.view.page.select_option("#statistic", name)
        self.view.wait("name => document.querySelector('#statistic')?.value === name"
                       " && document.querySelector('#statistic-table')", name)
        self.view.settle()
        headers = [text.strip(" ▴▾") for text in self.view.page.locator("#statistic-table th").all_inner_texts()]
        return [dict(zip(headers, cells)) for cells in self.view.table("#statistic-table")]

    def durations(self, statistic, events, count_header, span=None):
        """A summary of durations by name. `events` has name, start and end."""
        window = "WHERE end >= :start AND start <= :end" if span else ""
        words = dict(zip(("start", "end"), span)) if span else {}
        rows = self.query(f"""SELECT name, count(*), sum(end - start), avg(end - start), min(end - start), max(end - start)
            FROM ({events}) {window} GROUP BY name ORDER BY 3 DESC""", **words)
        everything = sum(row[2] for row in rows)
        shown = {row.get("Name"): row for row in self.statistic(statistic)}
        for name, count, total, *others in rows[:3]:
            row = shown[name]
            self.compare(name, [row["Time (%)"], row["Total Time"], row[count_header], row["Avg"], row["Min"], row["Max"]],
                         [percent(total, everything), *self.texts("duration", [total]), *self.texts("count", [count]),
                          *self.texts("duration", others)])

    def samples(self, statistic, samples, span=None):
        """A summary of samples by function. `samples` has a row for each frame."""
        words = dict(zip(("start", "end"), span)) if span else {}
        if span:
            samples += " WHERE start BETWEEN :start AND :end"
        whole, = self.query(f"SELECT count(DISTINCT sample) FROM ({samples})", **words)[0]
        shown = {(row["Function"], row["Location"]): row for row in self.statistic(statistic)}
        rows = self.query(f"""SELECT name, place, count(*) FILTER (WHERE depth = 0), count(DISTINCT sample) FROM ({samples})
            GROUP BY name, place ORDER BY 3 DESC, 4 DESC LIMIT 3""", **words)
        for name, place, self_count, count in rows:
            row = shown[name, place]
            self.compare((name, place), [row["Self (%)"], row["Self Samples"], row["Total (%)"], row["Total Samples"]],
                         [percent(self_count, whole), *self.texts("count", [self_count]),
                          percent(count, whole), *self.texts("count", [count])])


def gpu_start_page(figures):
    rows = figures.query(f"SELECT name, sum(end - start), count(*) FROM ({KERNELS}) GROUP BY name ORDER BY 2 DESC, name")
    figures.names_with_most_time("#top-kernels", rows, has_share=True)
    ranges = figures.query("""SELECT CASE WHEN text LIKE 'step %' THEN ':step #' ELSE ':' || text END AS name, sum(end - start), count(*)
        FROM NVTX_EVENTS WHERE eventType = 59 GROUP BY 1 ORDER BY 2 DESC""")
    figures.names_with_most_time("#top-ranges", ranges, has_share=False)
    # No two of these kernels overlap, and neither do kernels and copies.
    (span, computing), = figures.query(f"""
        SELECT (SELECT max(end) - min(start) FROM
                  (SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY)),
          sum(end - start) FROM ({KERNELS}) WHERE name NOT LIKE 'nccl%'""")
    text = " ".join(figures.view.text("#gpu-time").split())
    figures.has(text, *figures.texts("duration", [span, computing]), *figures.texts("percent", [computing / span]))


def gpu_drawer(figures, span=None):
    figures.durations("cuda_gpu_kern_sum", KERNELS, "Instances", span)
    figures.durations("cuda_api_sum", API_CALLS, "Num Calls", span)


def cpu_start_page(figures):
    figures.functions_with_most_samples("#top-functions", CPU_SAMPLES)


def cpu_drawer(figures, span=None):
    figures.samples("cpu_sample_sum", CPU_SAMPLES, span)


def service_start_page(figures):
    figures.functions_with_most_samples("#top-python-functions", PYTHON_SAMPLES)


def service_drawer(figures, span=None):
    figures.samples("python_sample_sum", PYTHON_SAMPLES, span)
    figures.durations("osrt_sum", OS_CALLS, "Num Calls", span)


def calls_start_page(figures):
    """Only OS-runtime calls are recorded: the verdict says how much time, on how many threads, and what it was."""
    (threads, processes), = figures.query("SELECT count(DISTINCT globalTid), count(DISTINCT globalTid >> 24) FROM OSRT_API")
    sentence = figures.view.text("#verdict-sentence")
    figures.has(sentence, f"{threads} threads", f"{processes} process")


def calls_drawer(figures, span=None):
    figures.durations("osrt_sum", OS_CALLS, "Num Calls", span)


PAGES = {"cpu": (cpu_start_page, cpu_drawer), "service": (service_start_page, service_drawer),
         "training": (gpu_start_page, gpu_drawer), "ranks": (gpu_start_page, gpu_drawer),
         "threads": (calls_start_page, calls_drawer), "processes": (calls_start_page, calls_drawer),
         "million": (gpu_start_page, gpu_drawer)}


@pytest.mark.parametrize("report", REPORTS)
def test_figures_of_the_page_are_those_of_sql(browser, tmp_path, report):
    start_page, drawer = PAGES[report]
    paths = REPORTS[report](tmp_path)
    with viewing(*paths) as server:
        whole = server.exact_rows()["span"]
        server.json("summary", wait=1)
        with view_of(browser, server.url) as view:
            view.open()
            view.wait("document.querySelector('#verdict') && document.querySelector('.facts, #top-kernels, #verdict-sentence')")
            view.settle()
            figures = Figures(view, paths[0])
            start_page(figures)
            figures.open_statistics()
            drawer(figures)
            assert figures.compared >= MIN_FIGURES
            # The limits of the span are inside of events or between them, never the limit of one.
            length = whole["end"] - whole["start"]
            span = (whole["start"] + length // 4 + 137, whole["start"] + length // 2 + 137)
            figures.compared = 0
            figures.open_statistics(span)
            drawer(figures, span)
            assert figures.compared >= MIN_FIGURES
