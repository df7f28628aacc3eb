"""prof recipe --align: windows of time and paces on the clock that the ranks of a job share."""
import pytest
from arrow_tables import needs_package
from made_run import make_run
from profiling import prof
from test_recipes import made, made_here, recipe

pandas = pytest.importorskip("pandas")
pytestmark = needs_package


@pytest.fixture(scope="module", name="job")
def fixture_job(tmp_path_factory):
    """Two machines whose clocks drift, and whose wall clocks are wrong by milliseconds. Folder and ledger."""
    folder = tmp_path_factory.mktemp("job") / "run"
    return folder, make_run(folder, 2, 2000, "--gpus-per-node", "1", "--clock", "50ms:20ppm")


def window(ledger):
    """Between all-reduces, and how many run in it."""
    ends = {each["step"]: each["end"] for each in ledger["collectives"]}
    start, end = (ends[round(len(ends) * share)] + 50_000 for share in (0.3, 0.6))
    return f"--filter-time={start}/{end}", sum(start < each["end"] < end for each in ledger["collectives"])


def all_reduces(folder):
    """How many each rank has."""
    sums = pandas.read_parquet(folder / "rank_stats.parquet").reset_index()
    return sums[sums["Name"].str.contains("AllReduce")].set_index("Rank")["Count"].to_dict()


def test_a_window_of_time(job, tmp_path):
    folder, ledger = job
    when, inside = window(ledger)
    words = ("cuda_gpu_kern_sum", "--input", folder, when)
    assert all_reduces(made(tmp_path / "collectives", *words, "--align=collectives")) == {0: inside, 1: inside}
    by_wall = all_reduces(made_here(tmp_path / "clock", *words, "--align=clock"))
    assert by_wall.get(0) != by_wall.get(1)
    assert all_reduces(made_here(tmp_path / "none", *words, "--align=none")) == all_reduces(
        made_here(tmp_path / "default", *words))


def test_paces(job, tmp_path):
    folder, ledger = job
    names = prof("stats", "-q", "-f", "csv", "-r", "cuda_gpu_kern_sum:base", folder).stdout
    name = next(line.rpartition(",")[2] for line in names.splitlines() if "AllReduce" in line)
    words = ("cuda_gpu_kern_pace", "--name", name, "--input", folder)
    ends = pandas.read_parquet(made_here(tmp_path / "pace", *words, "--align=collectives") / "pace_end.parquet")
    assert len(ends) == len(ledger["collectives"])
    assert (ends["0"] - ends["1"]).abs().max() < 20_000  # ns
    by_wall = pandas.read_parquet(made_here(tmp_path / "wall", *words) / "pace_end.parquet")
    assert (by_wall["0"] - by_wall["1"]).abs().max() > 100_000


def test_align_is_refused_where_it_changes_nothing(job, tmp_path):
    folder, _ = job
    for words, status, text in (
            (["cuda_gpu_kern_sum", "--input", folder, "--align=clock"], 2, "says what --filter-time counts on"),
            (["cuda_gpu_kern_sum", "--input", folder / "rank_0.db", "--align=clock", "--filter-time=0s/1s"], 2,
             "needs several reports"),
            (["cuda_gpu_kern_sum", "--input", folder, "--align=clocks", "--filter-time=0s/1s"], 2,
             "--align: write clock, collectives, range:NAME or none"),
            (["cuda_gpu_kern_sum", "--input", folder, "--align=range:nothing", "--filter-time=0s/1s"], 1,
             'has no NVTX range "nothing"')):
        done = recipe(*words, PWD=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (status, 1) and text in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())
