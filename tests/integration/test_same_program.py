"""Two reports of one program: nsys's, and prof's of a stand-in that does the same (fake_cuda_report)."""

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import Report, profile, unpacked

APP = FAKES / "fake_cuda_report"
pytestmark = [needs_cuda, pytest.mark.skipif(not APP.exists(), reason="built without the headers of NVTX")]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    theirs = unpacked(folder / "nsys.sqlite")
    ours = profile(folder, APP, theirs, traces="cuda,nvtx",
                   options=("--cuda-trace-all-apis=true", "--cupti-path", CUPTI))
    done = ours.expected()
    assert (done["kernels"], done["copies"], done["fills"], done["unknown"]) == (61, 13, 2, 0)
    return Report(theirs), ours


def without(row, *columns):
    return {name: value for name, value in row.items() if name not in columns}


@pytest.mark.parametrize("name", ["cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base", "cuda_gpu_kern_gb_sum",
                                  "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_gpu_kern_sum:nvtx-name"])
def test_gpu_work_is_the_same(reports, name):
    theirs, ours = (report.statistics(name) for report in reports)
    assert theirs == ours


TIMES = ("Time (%)", "Total Time (ns)", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)")


@pytest.mark.parametrize("name", ["cuda_api_sum", "nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum"])
def test_calls_and_ranges_are_the_same(reports, name):
    theirs, ours = (sorted(map(str, (without(row, *TIMES) for row in report.statistics(name)))) for report in reports)
    assert theirs == ours


def test_ranges_have_the_same_work(reports):
    columns = ("Range", "Style", "Range Instances", "Total GPU Ops", "Avg Range Lvl", "Avg Num Child")
    theirs, ours = ({tuple(row[column] for column in columns) for row in report.statistics("nvtx_gpu_proj_sum")}
                    for report in reports)
    assert theirs == ours and len(ours) > 10


def test_rows_of_events_have_the_same_columns(reports):
    """nsys's columns with its types; prof may have more."""
    theirs, ours = reports
    common = (theirs.tables() & ours.tables()) - {"sqlite_sequence"}
    assert len([name for name in common if name.startswith("CUPTI_")]) == 7
    for table in common:
        columns = [{(row["name"], row["type"], row["notnull"], row["pk"])
                    for row in report.query(f'PRAGMA table_info("{table}")')} for report in reports]
        assert columns[0] <= columns[1], table


def test_work_starts_after_its_call(reports):
    for report in reports:
        assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
                            "USING (correlationId) WHERE k.start <= r.start") == 0
