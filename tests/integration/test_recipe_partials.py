"""Recipes that read the partial results beside reports."""
import json
import os
import shutil
from pathlib import Path

import pytest
from arrow_tables import needs_package, package
from test_recipes import assert_same, made_here, needs_truth, ranks, small  # noqa: F401 (ranks and small are fixtures)

pandas = pytest.importorskip("pandas")
pytestmark = needs_package


def number(value):
    """A number of a file with partial results."""
    return bytes([value]) if value < 0x80 else bytes([value & 0x7f | 0x80]) + number(value >> 7)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return number(len(data)) + data


def write_partial(report, changed=lambda data: data):
    """REPORT.partial, as prof profile --partial=true writes it, with what the recipes read."""
    pr = package()
    recipes = [f"recipe:cuda_{name}_sum" for name in ("api", "gpu_kern", "gpu_mem_time", "gpu_mem_size")]
    rows = pr.partial(report, [*recipes, "osrt_sum"]).arrow().to_pylist()
    sums = {}
    for row in rows:
        groups = sums.setdefault(row["statistic"], [])
        if row["labels"] is not None:
            labels = json.loads(row["labels"])
            groups.append(number(len(labels)) + b"".join(map(text, labels)) + row["values"][len("v2"):])
    part = b"prof partial 2\n" + number(1) + text("") + number(0) + text(rows[0]["node"]) + text(rows[0]["report"])
    part += number(len(sums)) + b"".join(
        text(name) + number(0) + number(len(groups)) + b"".join(groups) for name, groups in sums.items())
    state = os.stat(report)
    Path(f"{report}.partial").write_bytes(changed(
        b"prof partial file 3\n" + number(state.st_size) + number(state.st_mtime_ns) + text(pr.__version__) + text("")
        + number(0) + number(1) + text(part)))


SUMS = ("cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "osrt_sum")


def copied(folder, target):
    for report in folder.glob("*.sqlite"):
        shutil.copy(report, target)
    return sorted(target.glob("*.sqlite"))


@needs_truth
def test_partial_results_have_the_same_bytes(ranks, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    reports = copied(ranks, folder)
    before = {name: made_here(tmp_path / f"{name}-events", name, "--input", folder, "--exact") for name in SUMS}
    for report in reports:
        write_partial(report)
    for name in SUMS:
        again = made_here(tmp_path / f"{name}-partial", name, "--input", folder, "--exact")
        tables = sorted(path.name for path in before[name].glob("*.parquet"))
        assert tables == sorted(path.name for path in again.glob("*.parquet"))
        for table in tables:
            assert_same(again / table, before[name] / table)
            assert (again / table).read_bytes() == (before[name] / table).read_bytes(), (name, table)


def test_partial_results_are_read(small, tmp_path):
    """A kernel has another name in the files. They are not read for a part of the time, or if they do not fit."""
    (report, *others) = copied(small, tmp_path)
    for other in others:
        other.unlink()
    def kernels(*options):
        folder = made_here(tmp_path / f"kernels-{len(list(tmp_path.iterdir()))}", "cuda_gpu_kern_sum", "--input", report, *options)
        return set(pandas.read_parquet(folder / "all_stats.parquet").index)
    name = sorted(kernels())[0]
    write_partial(report, lambda data: data.replace(name.encode(), b"#" * len(name)))
    assert "#" * len(name) in kernels() and name not in kernels()
    assert name in kernels("--filter-time", "0/100000000000")
    os.utime(report, ns=(1, 1))
    assert name in kernels()
