"""The table of docs/cost.md has the rows that tests/lint/cost_table.py knows, and takes what a bench prints."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = [sys.executable, "-B", ROOT / "tests/lint/cost_table.py"]
PRINTED = """\
  floor (two clock reads, one record) -> prof       26.6 ->      91.5 ns  x3.44      +64.9
  uncontended lock+unlock, one thread               12.0 ->      13.1 ns  x1.09       +1.1
  uncontended lock+unlock, two threads              12.0 ->      19.0 ns  x1.58       +7.0
  redis-server under redis-benchmark, which is untraced    default    3000.0   1.111   1.222   1.333     4.0     5.0   1.666
  bash: 400 subshells                                                all            44   7.777   8.1   9.1  10.1      11.0
prof -s process-tree           1.212   0.898    1.000        990           100
"""


def run(*words):
    return subprocess.run([*TOOL, *words], capture_output=True, text=True)


def test_the_rows_of_the_page():
    done = run("--check")
    assert done.returncode == 0, done.stderr


def test_another_row_is_found(tmp_path):
    page = tmp_path / "cost.md"
    page.write_text((ROOT / "docs/cost.md").read_text().replace("| sqlite |", "| another |"))
    done = run("--check", "--page", page)
    assert done.returncode != 0 and "cost_table.py" in done.stderr


def test_measured_rows_change_and_others_stay(tmp_path):
    page, printed = tmp_path / "cost.md", tmp_path / "bench.txt"
    page.write_text(before := (ROOT / "docs/cost.md").read_text())
    printed.write_text(PRINTED)
    assert run("--page", page, "--machine", "this one", printed).returncode == 0
    changed = [row for row in page.read_text().splitlines() if row not in before.splitlines()]
    rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in row.split("|")[1:-1]] for row in changed)}
    assert len(page.read_text().splitlines()) == len(before.splitlines())
    assert all(cells[-1] == "this one" for cells in rows.values()) and len(rows) == 6
    assert rows["NVTX push and pop"][1] == "92 ns"
    assert rows["uncontended lock and unlock"][1] == "+1 to +7 ns"
    assert rows["redis under redis-benchmark (CPU time)"][2] == "1.33"
    assert rows["bash, 400 subshells"][0] == "0.11 ms" and rows["bash, 400 subshells"][3] == "7.78"
    assert rows["busy program, CPU samples with call chains"][3] == "0.90 to 1.21"
