"""prof_report.kernels: decorators with nsight-python's names. The fake's kernels take 1,000 ns for each block."""
import importlib
import json
import math
import subprocess
import sys
import textwrap

import pytest
from arrow_tables import environment, needs_package, package
from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import prof

pytestmark = [needs_package, needs_cuda]
pytest.importorskip("pandas")
pytest.importorskip("nvtx")
CALLS = FAKES / "libfake_cuda_calls.so"
TIME, INSTRUCTIONS = "gpu__time_duration.sum", "smsp__inst_executed.sum"
COLUMNS = """AvgValue StdDev MinValue MaxValue NumRuns CI95_Lower CI95_Upper RelativeStdDevPct StableMeasurement Metric
    Unit Kernel GPU Host ComputeClock MemoryClock Normalized Geomean""".split()
HEAD = f"""
import ctypes, threading
from prof_report import kernels as nsight
fake = ctypes.CDLL({str(CALLS)!r})
fake.fake_init()
OPTIONS = ["--cupti-path", {str(CUPTI)!r}]

def launch(blocks, name=b"_Z4copyPKfPf"):
    fake.fake_launch_kernel(name, blocks)

def show(results):
    print(results.to_dataframe().to_json(orient="records"))
"""


def script(tmp_path, text, status=0):
    (tmp_path / "program.py").write_text(HEAD + textwrap.dedent(text))
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env={**environment(),
                          "LD_LIBRARY_PATH": str(FAKES)}, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def results(tmp_path, text):
    return [json.loads(line) for line in script(tmp_path, text).stdout.splitlines()]


def averages(rows):
    return {(row["Annotation"], row.get("n"), row["Metric"]): row["AvgValue"] for row in rows}


def test_a_function_with_configurations(tmp_path):
    rows, = results(tmp_path, """
        @nsight.analyze.kernel(configs=[3, 5], runs=2, options=OPTIONS,
                               metrics=["gpu__time_duration.sum", "smsp__inst_executed.sum"])
        def work(n):
            launch(100)
            with nsight.annotate("one"):
                launch(n)
            with nsight.annotate("two"):
                launch(2 * n, b"_ZN4demo4gemmILi4EEEvPKfPf")
        show(work())
    """)
    assert list(rows[0]) == ["Annotation", "n", *COLUMNS]
    assert averages(rows) == {(name, n, metric): factor * n * unit for name, factor in (("one", 1), ("two", 2))
                              for n in (3, 5) for metric, unit in ((TIME, 1000), (INSTRUCTIONS, 3200))}
    first = rows[0]
    assert (first["NumRuns"], first["StdDev"], first["MinValue"], first["MaxValue"]) == (2, 0, 3000, 3000)
    assert first["Unit"] == "ns" and "copy" in first["Kernel"] and first["StableMeasurement"] is True
    assert first["Normalized"] is False and first["Geomean"] == pytest.approx(math.sqrt(3000 * 5000))


def test_later_calls_have_the_results_of_earlier_ones(tmp_path):
    """The program runs again for each call; what it does depends on the results so far."""
    first, second = results(tmp_path, """
        @nsight.analyze.kernel(options=OPTIONS)
        def work(n):
            with nsight.annotate("copy"):
                launch(n)
        before = work(4)
        show(before)
        show(work(configs=[(int(before.to_dataframe()["AvgValue"][0]) // 1000 + 1,)]))
    """)
    assert averages(first) == {("copy", 4, TIME): 4000}
    assert averages(second) == {("copy", 5, TIME): 5000}


def test_derived_and_normalized_metrics(tmp_path):
    rows, normalized = results(tmp_path, """
        def derive(time, instructions, n):
            return {"rate": (instructions / time, "inst/ns"), "n": n}

        def both(n):
            with nsight.annotate("base"):
                launch(n)
            with nsight.annotate("slow"):
                launch(3 * n)
        metrics = ["gpu__time_duration.sum", "smsp__inst_executed.sum"]
        show(nsight.profile(configs=[7], metrics=metrics, derive_metric=derive, options=OPTIONS)(both)())
        show(nsight.profile(configs=[7], normalize_against="base", options=OPTIONS)(both)())
    """)
    assert averages(rows)["slow", 7, "rate"] == 3.2 and averages(rows)["slow", 7, "n"] == 7
    assert {row["Unit"] for row in rows if row["Metric"] == "rate"} == {"inst/ns"}
    assert averages(normalized) == {("base", 7, TIME): 1, ("slow", 7, TIME): 3}
    assert {row["Normalized"] for row in normalized} == {"base"}


def test_which_kernels_an_annotation_has(tmp_path):
    rows, = results(tmp_path, """
        @nsight.annotate("decorated")
        def decorated():
            launch(2)

        @nsight.profile(combine_kernel_metrics=lambda x, y: x + y, ignore_kernel_list=["gemm"], options=OPTIONS)
        def work():
            decorated()
            with nsight.annotate("several"):
                launch(10)
                launch(20)
                launch(40, b"_ZN4demo4gemmILi4EEEvPKfPf")
            with nsight.annotate("thread"):
                thread = threading.Thread(target=launch, args=(80,))
                thread.start()
                thread.join()
            with nsight.annotate("outer"):
                launch(100)
                with nsight.annotate("inner"):
                    launch(200)
            with nsight.annotate("fails", ignore_failures=True):
                launch(300)
                raise ValueError("out of memory")
            with nsight.annotate("nothing"):
                pass
        show(work())
    """)
    assert {row["Annotation"]: row["AvgValue"] for row in rows} == {
        "decorated": 2000, "several": 30000, "thread": 80000, "outer": 100000, "inner": 200000, "fails": None,
        "nothing": None}
    kernels = {row["Annotation"]: row["Kernel"] for row in rows}
    assert kernels["several"].count("copy") == 2 and "|" in kernels["several"]


def test_a_script_under_prof_kernel(tmp_path, monkeypatch):
    """Functions run once, and the user's report has the values."""
    (tmp_path / "program.py").write_text(HEAD + textwrap.dedent("""
        @nsight.profile(configs=[3, 5], runs=2)
        def work(n):
            with nsight.annotate("copy"):
                launch(n)
        results = work()
        try:
            results.to_dataframe()
        except Exception as error:
            print(error)
    """))
    for name, value in {**environment(), "LD_LIBRARY_PATH": str(FAKES)}.items():
        monkeypatch.setenv(name, value)
    done = prof("kernel", "--set=quick", "--cupti-path", CUPTI, "-o", tmp_path / "own.db", "--", sys.executable,
                tmp_path / "program.py")
    assert done.returncode == 0 and "kernels.read(REPORT) has the values" in done.stdout, done.stderr
    package()
    frame = importlib.import_module("prof_report.kernels").read(tmp_path / "own.db")
    frame = frame[frame["Metric"] == TIME]
    assert list(zip(frame["Annotation"], frame["Config"], frame["Run"], frame["Value"])) == [
        ("copy", config, run, 1000 * n) for config, n in enumerate((3, 5)) for run in (0, 1)]


@pytest.mark.parametrize("text, message", [
    ("def work():\n    launch(3)\n", "has no annotation"),
    ("def work():\n    with nsight.annotate('a'):\n        launch(1)\n        launch(1)\n", "combine_kernel_metrics"),
    ("def work():\n    with nsight.annotate('a'):\n        pass\n", "no kernel was profiled in an annotation"),
    ("def work():\n    raise SystemError('its own fault')\n", "SystemError: its own fault"),
    ("def work():\n    with nsight.annotate('a'):\n        launch(1)\n    with nsight.annotate('a'):\n"
     "        launch(1)\n", "there twice"),
])
def test_what_is_wrong_is_said(tmp_path, text, message):
    done = script(tmp_path, text + "show(nsight.profile(options=OPTIONS)(work)())\n", status=1)
    assert "ReportError" in done.stderr and message in done.stderr, done.stderr


def test_arguments(tmp_path):
    package()
    kernels = importlib.import_module("prof_report.kernels")
    with pytest.raises(ValueError, match="replay_mode"):
        kernels.profile(replay_mode="range")
    with pytest.raises(TypeError, match="unknown arguments: metricks"):
        kernels.profile(metricks=["a"])
    with pytest.warns(RuntimeWarning, match="lock the clocks"):
        kernels.profile(clock_control="base")
    for configs in ([], [(1, 2, 3)]):
        with pytest.raises(ValueError, match="config"):
            kernels.profile(configs=configs)(lambda a, b=1: None)()
    with pytest.raises(ValueError, match="twice"):
        kernels.profile(configs=[1])(lambda a: None)(configs=[2])
    assert kernels.read(_empty(tmp_path)).empty


def _empty(tmp_path):
    importlib.import_module("sqlite3").connect(tmp_path / "empty.db").close()
    return tmp_path / "empty.db"


MATPLOTLIB = """
import json

class Axes:
    def __init__(self): self.lines = []
    def plot(self, places, heights, marker, label): self.lines.append([label, heights])
    def bar(self, places, heights, width, label): self.lines.append([label, heights])
    def __getattr__(self, name): return lambda *arguments, **options: None

class Figure(Axes):
    def savefig(self, name): open(name, "w").write(json.dumps([each.lines for row in self.grid for each in row]))

def subplots(down, across, squeeze, figsize):
    figure = Figure()
    figure.grid = [[Axes() for _ in range(across)] for _ in range(down)]
    return figure, figure.grid

def close(figure): pass
"""


def test_plots(tmp_path):
    """With a matplotlib that writes what it is to draw."""
    folder = tmp_path / "matplotlib"
    folder.mkdir()
    (folder / "__init__.py").write_text("def use(name, force): pass\n")
    (folder / "pyplot.py").write_text(MATPLOTLIB)
    script(tmp_path, """
        @nsight.analyze.plot("lines.json", show_aggregate="avg")
        @nsight.analyze.plot("bars.json", plot_type="bar", row_panels=["m"], x_keys=["n"])
        @nsight.analyze.kernel(configs=[(1, 2), (3, 2), (3, 4)], options=OPTIONS)
        def work(n, m):
            with nsight.annotate("copy"):
                launch(n * m)
        work()
    """)
    assert json.loads((tmp_path / "lines.json").read_text()) == [[["copy (average 6667)", [2000, 6000, 12000]]]]
    assert json.loads((tmp_path / "bars.json").read_text()) == [[["copy", [2000, 6000]]], [["copy", [12000]]]]
