"""--range-of in prof view, export, analyze and diff, and range_of in Python: work of CUDA graphs in ranges of its launch and
of its capture."""
import json
import shutil
import sqlite3

import pytest
from arrow_tables import package
from cuda_app import needs_cuda
from perfetto_trace import Trace
from profiling import prof, source_of
from test_graphs import LAYERS, OF_LAUNCHES, profiled, projected
from view_server import viewing

pytestmark = needs_cuda

TOKENS = 3
RANGES = 3 * LAYERS  # of one model: each layer, and parts of it


@pytest.fixture(scope="module", name="reports")
def make_reports(tmp_path_factory):
    return {way: profiled(tmp_path_factory.mktemp(way), way, OF_LAUNCHES["Python"])
            for way in ("none", "captured", "conditional")}


def on_the_gpu(report, *options):
    """The names of the ranges on the GPU, each as often as it is there, and the details of the last of them."""
    with viewing(report.path, *options) as server:
        rows = [row for row in server.exact_rows()["rows"] if row["kind"] == "nvtx_gpu"]
        assert len(rows) == 1
        page = server.json("events", row=rows[0]["id"], limit=500)
        assert page["total"] == len(page["events"])
        ids = {(event["source"], event["id"]) for event in page["events"]}
        assert len(ids) == len(page["events"])
        details = [server.json("event", row=rows[0]["id"], source=event["source"], id=event["id"])
                   for event in page["events"][-2:]]
    for event, detail in zip(page["events"][-2:], details):
        assert (detail["start"], detail["end"], detail["name"]) == (event["start"], event["end"], event["name"])
        assert [link["relation"] for link in detail["links"]].count("range") == 1
    return sorted(event["name"] for event in page["events"])


@pytest.mark.parametrize("way", ["captured", "conditional"])
def test_the_timeline_has_ranges_of_captures_on_the_gpu(reports, way):
    without = on_the_gpu(reports["none"])
    tokens = [f"token {number}" for number in range(TOKENS)]
    assert without == sorted(tokens + TOKENS * (["attention"] * LAYERS + [f"layer {number}" for number in range(LAYERS)]))
    both = on_the_gpu(reports[way])
    assert [name for name in both if name != "capture"] == without
    assert both.count("capture") == {"captured": 1, "conditional": 3}[way] * TOKENS
    assert on_the_gpu(reports[way], "--range-of=launch") == tokens
    assert on_the_gpu(reports[way], "--range-of=capture") == [name for name in both if name not in tokens]


def test_details_of_a_kernel_are_those_of_its_capture(reports):
    for options, has_ranges in (((), True), (("--range-of=launch",), False)):
        with viewing(reports["captured"].path, *options) as server:
            row = next(row for row in server.exact_rows()["rows"] if row["kind"] == "kernels")
            event = server.json("events", row=row["id"], sort="start", order="asc", limit=1)["events"][0]
            details = server.json("event", row=row["id"], source=event["source"], id=event["id"])
        facts = dict(details["facts"])
        place = f"{source_of('graph_layers.py')}:20"
        assert details["chain"][0]["function"] == "attention" and details["chain"][0]["place"] == place
        if has_ranges:
            assert facts["Captured in"] == f":capture > :layer 0 > parts:attention, {place} (attention)"
        else:
            assert "Captured in" not in facts


def kernels_of_trace(report, *options):
    done = prof("export", "-t", "chrome", "-o", "-", *options, report.path)
    return [event["args"] for event in json.loads(done.stdout)["traceEvents"] if event.get("cat") == "kernel"]


def test_chrome_traces_have_the_ranges_that_are_asked_for(reports):
    for options, has_capture, has_launch in (((), True, True), (("--range-of=launch",), False, True),
                                             (("--range-of=capture",), True, False)):
        kernels = kernels_of_trace(reports["captured"], *options)
        assert len(kernels) == TOKENS * 3 * LAYERS
        assert {"captured in" in kernel for kernel in kernels} == {has_capture}
        assert {"External id" in kernel for kernel in kernels} == {has_launch}
    for kernel in kernels_of_trace(reports["none"], "--range-of=capture"):
        assert "External id" in kernel


def test_perfetto_traces_have_the_ranges_that_are_asked_for(reports, tmp_path):
    path = tmp_path / "trace"
    for options, has_capture in (((), True), (("--range-of=launch",), False)):
        assert prof("export", "-t", "perfetto", "-f", "true", "-o", path, *options, reports["captured"].path).returncode == 0
        assert (b"captured in :capture > :layer 1" in path.read_bytes()) == has_capture
        # A copy or a fill has it as an argument, beside its bytes.
        trace = Trace(path)
        places, sizes = trace.queries("SELECT string_value FROM args WHERE key = 'debug.captured in'",
                                      "SELECT int_value FROM args WHERE key = 'debug.bytes'")
        assert (len(places) > 0) == has_capture and sizes
    refused = prof("export", "-t", "json", "-o", tmp_path / "json", "--range-of=launch", reports["captured"].path)
    assert refused.returncode == 2 and "--range-of needs --type=chrome or perfetto" in refused.stderr


def slow_kernels(report, path):
    """A report with a finding about a kernel."""
    shutil.copy(report.path, path)
    limits = ("computeMajor", "computeMinor", "smCount", "threadsPerWarp", "maxWarpsPerSm", "maxBlocksPerSm",
              "maxRegistersPerSm", "maxShmemPerSm")
    with sqlite3.connect(path) as changed:
        changed.execute(f"CREATE TABLE TARGET_INFO_GPU (cuDevice, {', '.join(limits)})")
        changed.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 1000000000")
        changed.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 9, 0, 132, 32, 64, 32, 65536, 233472)")
    return path


def test_findings_have_the_ranges_that_are_asked_for(reports, tmp_path):
    path = slow_kernels(reports["captured"], tmp_path / "slow.db")
    for which, has_capture, has_launch in (("both", True, True), ("launch", False, True), ("capture", True, False)):
        text = prof("analyze", f"--range-of={which}", path).stdout
        assert ("captured in :capture > :layer" in text) == has_capture
        assert ("launched in :token" in text) == has_launch
        found = " ".join(str(row) for row in package().open(path).findings(range_of=which).arrow().to_pylist())
        assert ("captured in :capture > :layer" in found) == has_capture
        assert ("launched in :token" in found) == has_launch


def test_findings_about_idle_times_have_ranges(reports, tmp_path):
    path = tmp_path / "idle.db"
    shutil.copy(reports["captured"].path, path)
    with sqlite3.connect(path) as changed:  # the GPU is idle for half a second before the last kernel
        last = changed.execute("SELECT max(start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
        changed.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 500000000, end = end + 500000000 "
                        "WHERE start = ?", (last,))
    text = prof("analyze", path).stdout
    line = f"{source_of('graph_layers.py')}:27 (mlp)"
    assert f"the work after the longest was captured in :capture > :layer {LAYERS - 1}, {line}" in text, text


def test_python_has_the_ranges_that_are_asked_for(reports):
    pr = package()
    report = pr.open(reports["captured"].path)
    names = lambda **options: {row["Range"] for row in report.stats("nvtx_gpu_proj_sum", **options).arrow().to_pylist()}
    assert names() == names(range_of="both") == {":capture", *projected(reports["captured"])}
    assert names(range_of="launch") == {f":token {number}" for number in range(TOKENS)}
    assert names(range_of="capture") == names() - names(range_of="launch")
    with pytest.raises(pr.ReportError, match="launch, capture or both"):
        names(range_of="all")


@pytest.mark.parametrize("way", ["captured", "conditional"])
def test_python_has_the_kernels_of_ranges_of_captures(reports, way):
    def kernels(way, name, **options):
        return sorted(row["demangledName"] for row in
                      package().open(reports[way].path).kernels(nvtx=name, **options).arrow().to_pylist())

    for name in ("layer 0", f"layer {LAYERS - 1}", "attention@parts"):
        expected = kernels("none", name)
        assert expected and kernels(way, name) == kernels(way, name, range_of="capture") == expected
        assert not kernels(way, name, range_of="launch")
    for options, count in (({}, 1), ({"range_of": "launch"}, 1), ({"range_of": "capture"}, 0)):
        assert kernels(way, "token 0", **options) == kernels("none", "token 0") * count


def test_diff_compares_ranges_on_the_gpu(reports):
    def changed(*options):
        done = prof("diff", "-q", "-f", "json", "--category=nvtx-gpu", "--min-change=0", "--rows=0", *options,
                    reports["none"].path, reports["captured"].path)
        return {row["Name"]: row for row in json.loads(done.stdout)["changes"]}

    both, launch = changed(), changed("--range-of=launch")
    assert both["parts:attention"]["Count After"] == both["parts:attention"]["Count Before"] == TOKENS * LAYERS
    assert launch["parts:attention"]["Count After"] == 0
    assert both[":token 1"]["Count After"] == launch[":token 1"]["Count After"] == 1
