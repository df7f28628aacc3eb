"""Reports made of what Nsight Compute measured: its raw page, and .ncu-rep by a module like NVIDIA's ncu_report."""
import csv
import importlib
import io
import json
import re
import sys

import ncu_report as known
import pytest
from arrow_tables import needs_package, package
from profiling import Report, prof

pytestmark = needs_package
RULES = ("Estimate (%)", "Rule", "Reason", "GridXYZ", "BlockXYZ", "Name")
# What the module of NVIDIA has, as far as prof uses it. Kernels come from a JSON file in place of a .ncu-rep.
MODULE = '''
import json

class Metric:
    def __init__(self, value, unit): self._value, self._unit = value, unit
    def has_value(self): return self._value is not None
    def value(self): return self._value
    def unit(self): return self._unit

class Action:
    NameBase_FUNCTION, NameBase_DEMANGLED, NameBase_MANGLED = range(3)
    def __init__(self, content): self._content = content
    def name(self, base=0): return self._content["names"][base]
    def metric_names(self): return list(self._content["metrics"])
    def metric_by_name(self, name): return Metric(*self._content["metrics"][name])

class Range:
    def __init__(self, content): self._content = content
    def num_actions(self): return len(self._content)
    def action_by_idx(self, at): return Action(self._content[at])

class Context:
    def __init__(self, content): self._content = content
    def num_ranges(self): return len(self._content)
    def range_by_idx(self, at): return Range(self._content[at])

def load_report(path):
    try:
        return Context(json.load(open(path)))
    except ValueError:
        raise RuntimeError("not a report") from None
'''


def gpu_metrics():
    names = importlib.import_module("prof_report.ncu")._GPU
    return {f"device__attribute_{name}": known.GPU[column] for column, name in names.items() if column in known.GPU}


def launches():
    """Name and metrics (value and unit) of the known kernels, as Nsight Compute has them."""
    units, kernels = known.known_kernels()
    for kernel in kernels:
        metrics = {name: (value, units[name]) for name, value in kernel.items() if name in units}
        for what, column in (("grid", "Grid Size"), ("block", "Block Size")):
            metrics |= {f"launch__{what}_dim_{axis}": (size, what)
                        for axis, size in zip("xyz", known.dimensions(kernel[column]))}
        metrics |= {name: (value, "") for name, value in gpu_metrics().items()}
        metrics |= {"launch__context_id": (1, ""), "launch__stream_id": (7, "")}
        yield kernel["Kernel Name"], kernel, metrics


@pytest.fixture(name="page")
def raw_page(tmp_path):
    package()
    rows = list(launches())
    names = list(dict.fromkeys(name for _, _, metrics in rows for name in metrics))
    texts = ["ID", "Process ID", "Process Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size"]
    with open(tmp_path / "page.csv", "w", newline="", encoding="utf-8") as file:
        file.write("==PROF== Connected to process 1061\n")
        page = csv.writer(file, quoting=csv.QUOTE_ALL)
        page.writerow([*texts, *names])
        unit = {name: metrics[name][1] for _, _, metrics in rows for name in metrics}
        page.writerow([*[""] * len(texts), *[unit[name] for name in names]])
        for at, (name, kernel, metrics) in enumerate(rows):
            page.writerow([at, 1061, "kernels", name, 1, 7, kernel["Block Size"], kernel["Grid Size"],
                           *[f"{metrics[each][0]:,}" if each in metrics else "" for each in names]])
    return tmp_path / "page.csv"


@pytest.fixture(name="file")
def ncu_file(tmp_path, monkeypatch):
    """A file that the module reads, which Python finds."""
    package()
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "ncu_report.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    actions = [{"names": [name.split("(")[0].split("<")[0].split()[-1], name, f"_Z{at}"], "metrics": {
        **{each: [value, {"ns": "nsecond", "byte/s": "byte/second", "hz": "cycle/second"}.get(unit, unit)]
           for each, (value, unit) in metrics.items()},
        "launch__func_cache_config": ["CachePreferNone", ""], "sass__inst_executed": [None, ""],
        "device__attribute_display_name": [known.GPU["name"], ""]}} for at, (name, _, metrics) in enumerate(launches())]
    (tmp_path / "measured.ncu-rep").write_text(json.dumps([actions[:9], actions[9:]]))
    return tmp_path / "measured.ncu-rep"


def rules(report):
    done = prof("stats", "-r", "kernel_rules", "-f", "csv", report)
    assert done.returncode == 0, done.stderr
    return sorted(tuple(row[name] for name in RULES) for row in csv.DictReader(io.StringIO(done.stdout)))


def load(source, output, *options):
    return prof("kernel", "--import", source, "-o", output, *options)


@pytest.mark.parametrize("kind", ["page", "file"])
def test_rules_are_those_of_the_same_metrics(tmp_path, request, kind):
    source = request.getfixturevalue(kind)
    done = load(source, tmp_path / "imported.db")
    assert done.returncode == 0 and "15 launches" in done.stdout, done.stderr
    assert rules(tmp_path / "imported.db") == rules(known.make_report(tmp_path / "known.db"))
    report = Report(tmp_path / "imported.db")
    assert report.value("SELECT COUNT(*) FROM PROF_KERNEL_PROFILES") == 15
    assert report.value("SELECT unit FROM PROF_METRIC_NAMES WHERE name = 'gpu__time_duration.sum'") == "ns"
    assert report.value("SELECT value FROM META_DATA_CAPTURE WHERE name = 'IMPORTED_FROM'") == str(source)
    for verb in (("stats",), ("analyze",), ("info",), ("kernel", "--csv", "--page", "raw", "--import")):
        assert prof(*verb, tmp_path / "imported.db").returncode == 0


def test_values_are_equal(tmp_path, page):
    assert load(page, tmp_path / "imported.db").returncode == 0
    found = {(row["profileId"], row["name"]): row["value"] for row in Report(tmp_path / "imported.db").query(
        "SELECT profileId, name, value FROM PROF_KERNEL_METRICS JOIN PROF_METRIC_NAMES USING (metricId)")}
    expected = {(at, name): value for at, (_, _, metrics) in enumerate(launches())
                for name, (value, _) in metrics.items() if not name.startswith("device__")}
    assert found == pytest.approx(expected)


def test_units_with_prefixes_become_those_without(page):
    module = importlib.import_module("prof_report.ncu")
    assert page.exists()
    units = ("us", "Mbyte", "Gbyte/s", "Ghz", "cycle/nsecond", "nsecond", "sector")
    assert [module.base_unit(unit) for unit in units] == [
        ("ns", 1e3), ("byte", 1e6), ("byte/s", 1e9), ("hz", 1e9), ("hz", 1e9), ("ns", 1), ("sector", 1)]


def test_what_cannot_be_imported(tmp_path, file, monkeypatch):
    (tmp_path / "other.ncu-rep").write_text("something else")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    for source, text in (("other.ncu-rep", "ncu_report cannot read it"), ("other.csv", "is not a raw page of ncu"),
                         ("missing.csv", "no such file")):
        done = load(tmp_path / source, tmp_path / "imported.db")
        assert done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr
    assert load(file, tmp_path / "imported.db").returncode == 0
    assert "exists" in load(file, tmp_path / "imported.db").stderr
    assert load(file, tmp_path / "imported.db", "-f", "true").returncode == 0
    assert f"prof kernel --import {file}" in prof("stats", file).stderr
    monkeypatch.setenv("PYTHONPATH", "")
    done = load(file, tmp_path / "second.db")
    assert done.returncode == 1 and "pip install ncu-report" in done.stderr and "--page raw --csv" in done.stderr
    assert not list(tmp_path.glob("*.new"))


def test_the_tables_are_those_of_the_schema():
    package()
    for table, columns in importlib.import_module("prof_report.ncu")._TABLES.items():
        schema = re.findall(r"^  (\w+) (INTEGER|TEXT|REAL)( NOT NULL)?",
                            (known.SCHEMA / f"{table}.sql").read_text(), re.M)
        of_schema = {name: (kind, bool(needed)) for name, kind, needed in schema}
        ours = {name: (kind, bool(needed)) for name, kind, needed in
                re.findall(r"(\w+) (INTEGER|TEXT|REAL)( NOT NULL)?", columns)}
        assert ours.items() <= of_schema.items(), table
        assert {name for name, (_, needed) in of_schema.items() if needed} <= set(ours), table
    assert sys.modules["prof_report.ncu"]
