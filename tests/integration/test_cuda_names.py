"""Names that programs give to CUDA objects with NVTX."""
import pytest
from cuda_app import FAKES, rows, run, same

NAMER = FAKES / "fake_cuda_names"
pytestmark = pytest.mark.skipif(not NAMER.exists(), reason="built without the headers of CUDA or NVTX")

DEVICE, CONTEXT, STREAM = (f"TARGET_INFO_NVTX_CUDA_{kind}" for kind in ("DEVICE", "CONTEXT", "STREAM"))


def name(tmp_path, **options):
    report = run(tmp_path, command=[NAMER], **options)
    assert "fork child" not in report.done.stderr
    return report


@pytest.mark.parametrize("options", [
    (), ("-c", "cudaProfilerApi", "--capture-range-end=stop"), ("--cuda-trace-all-apis=true",)])
def test_names(tmp_path, options):
    """Also outside of a capture range. prof's own CUDA calls are not recorded as the program's."""
    report = name(tmp_path, options=options)
    answer = report.expected()
    same(report, DEVICE, answer["DEVICE"])
    same(report, CONTEXT, answer["CONTEXT"])
    same(report, STREAM, answer["STREAM"])
    for table in (DEVICE, CONTEXT, STREAM):
        assert {(row["hwId"], row["vmId"]) for row in rows(report, table)} == {(0, 1)}
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


@pytest.mark.parametrize("traces", ["nvtx", "cuda"])
def test_names_are_of_both_traces(tmp_path, traces):
    report = name(tmp_path, traces=traces)
    assert not {DEVICE, CONTEXT, STREAM} & report.tables()


@pytest.mark.parametrize("fake, left", [
    ("taken", {DEVICE}), ("fail=cuptiGetContextId", {DEVICE}),
    ("fail=cuptiGetStreamIdEx", {DEVICE, CONTEXT})])
def test_without_an_id_there_is_no_name(tmp_path, fake, left):
    report = name(tmp_path, fake=fake)
    assert {DEVICE, CONTEXT, STREAM} & report.tables() == left
