"""prof kernel --import REPORT --page raw|details --csv: scripts for ncu's pages read them."""
import csv
import gzip
import io

import ncu_report
import pytest
from profiling import MORE_TRUTH, prof
from sampled_report import NAMES, instructions, make_sampled_report
from test_kernel_source import make_report as make_counted_report

NCU_TRUTH = MORE_TRUTH.parent / "ncu-truth/report"
FIRST = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
         "Device", "CC"]


def page(report, name, *options):
    done = prof("kernel", "--import", report, "--page", name, "--csv", *options)
    assert done.returncode == 0, done.stderr
    return list(csv.reader(io.StringIO(done.stdout)))


@pytest.fixture(scope="module", name="report")
def all_kernels(tmp_path_factory):
    return ncu_report.make_report(tmp_path_factory.mktemp("kernels") / "report.db")


def test_raw_page(report):
    head, units, *rows = page(report, "raw", "--print-units", "base")
    assert head[:11] == FIRST and head[11:] == sorted(head[11:]) and set(units[:11]) == {""}
    assert len(rows) == 15 and {len(row) for row in rows} == {len(head)}
    copy = dict(zip(head, rows[0]))
    assert copy["Kernel Name"] == "copy_streaming(const float4 *, float4 *, int)" and copy["Process Name"] == "kernels"
    assert (copy["Block Size"], copy["Grid Size"], copy["CC"]) == ("(256, 1, 1)", "(1056, 1, 1)", "9.0")
    assert copy["gpu__time_duration.sum"] == "44,160" and dict(zip(head, units))["gpu__time_duration.sum"] == "ns"
    # What the launch says, without counters
    assert (copy["launch__waves_per_multiprocessor"], copy["launch__occupancy_limit_registers"]) == ("1", "10")


@pytest.mark.parametrize("options", [["--page", "raw"], ["--csv"], ["--print-units=base"]])
def test_pages_need_a_report(options):
    done = prof("kernel", *options, "--", "true")
    assert done.returncode == 2 and f"{options[0].split('=')[0]} needs a report: --import" in done.stderr


def test_units_with_prefixes(report):
    head, units, *rows = page(report, "raw")
    units, copy = dict(zip(head, units)), dict(zip(head, rows[0]))
    assert (units["gpu__time_duration.sum"], copy["gpu__time_duration.sum"]) == ("ms", "0.044160")
    assert (units["dram__bytes.sum.per_second"], copy["dram__bytes.sum.per_second"]) == ("Tbyte/s", "2.601838")
    assert units["dram__cycles_elapsed.avg.per_second"] == "Ghz"
    assert units["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate"] == "byte/sector"


def test_details_page(report):
    head, *rows = page(report, "details")
    assert head == [*FIRST, "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
                    "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]
    metrics = {tuple(row[11:13]): tuple(row[13:15]) for row in rows if row[0] == "0" and len(row) == 16}
    assert metrics["GPU Speed Of Light Throughput", "Duration"] == ("us", "44.16")
    assert metrics["GPU Speed Of Light Throughput", "Elapsed Cycles"] == ("cycle", "87,389")
    assert metrics["Occupancy", "Theoretical Occupancy"] == ("%", "100")
    rules = [row[15:] for row in rows if len(row) == 20]
    estimates = [row for row in rules if row[4]]
    known = ncu_report.ESTIMATES.read_text(encoding="utf-8").splitlines()
    own = {"LocalMemory", "IdleTensorCores"}
    assert len([row for row in estimates if row[0] not in own]) == len(known) == 90
    assert all(row[2] for row in rules) and {row[3] for row in rules} == {"", "local", "global"}


def test_words_that_do_not_fit(tmp_path, report):
    done = prof("kernel", "--import", report, "--page", "raw")
    assert done.returncode == 2 and "--csv" in done.stderr
    done = prof("kernel", "--import", ncu_report.NcuReport(tmp_path / "empty.db", {}).done(), "--csv")
    assert done.returncode == 1 and "no profiles" in done.stderr


def whole_report(path, raw):
    """A report with all that ncu measured."""
    units, kernels = ncu_report.raw_page(NCU_TRUTH / raw)
    report = ncu_report.NcuReport(path, units)
    for kernel in kernels:
        report.launch(kernel)
    return report.done()


def is_same(theirs, ours):
    """A number that ncu rounded for its page may be a whole one in our report: 0.00 is 0, -0.00 too."""
    return theirs == ours or ("." in theirs and theirs.rstrip("0").rstrip(".").lstrip("-") == ours)


@pytest.mark.skipif(not NCU_TRUTH.exists(), reason="needs what the genuine ncu printed")
class TestGenuinePages:
    """All numbers and units of the genuine pages; ours lack what is a text, PM samples, and the process' names."""

    @pytest.mark.parametrize("name, options", [("raw_base", ["--print-units", "base"]), ("raw", [])])
    def test_raw(self, tmp_path, name, options):
        ours = page(whole_report(tmp_path / "report.db", f"{name}.csv.gz"), "raw", *options)
        with gzip.open(NCU_TRUTH / f"{name}.csv.gz", "rt") as file:
            theirs = list(csv.reader(file))
        assert len(ours) == len(theirs)
        columns = {name: at for at, name in enumerate(ours[0])}
        differ, equal = [], 0
        for at, metric in enumerate(theirs[0]):
            if metric in ("Process Name", "Host Name") or any(ncu_report.number(row[at]) is None for row in theirs[2:]):
                continue
            assert [row[at] for row in theirs[1:2]] == [ours[1][columns[metric]]], metric
            for row, own in zip(theirs[2:], ours[2:]):
                equal += is_same(row[at], own[columns[metric]])
                if not is_same(row[at], own[columns[metric]]):
                    differ.append((metric, row[at], own[columns[metric]]))
        assert equal > 20000 and not differ, (equal, len(differ), differ[:10])

    def test_details(self, tmp_path):
        _, *ours = page(whole_report(tmp_path / "report.db", "raw_base.csv.gz"), "details")
        with gzip.open(NCU_TRUTH / "details.csv.gz", "rt") as file:
            _, *theirs = csv.reader(file)
        known = [(row[0], *row[11:15]) for row in ours if len(row) == 16]
        texts = {"PM Sampling", "Cluster Scheduling Policy", "Function Cache Configuration", "Enabled TPC IDs"}
        expected = [(row[0], *row[11:15]) for row in theirs if len(row) == 16 and not texts & set(row[11:13])]
        differ = [(a, b) for a, b in zip(expected, known) if a[:4] != b[:4] or not is_same(a[4], b[4])]
        assert len(known) == len(expected) and not differ, differ[:10]


SOURCE_HEAD = ("Address,Source,Warp Stall Sampling (All Samples),Warp Stall Sampling (Not-issued Samples),# Samples,"
               "Instructions Executed")


def source_parts(text):
    """Rows by kernel, as dictionaries by column."""
    parts = []
    for row in csv.reader(io.StringIO(text)):
        if row[0] == "Kernel Name":
            parts.append([row[1]])
        else:
            parts[-1].append(row)
    return [(name, [dict(zip(head, row, strict=True)) for row in rows]) for name, head, *rows in parts]


def test_source_page(tmp_path):
    """All instructions of each kernel, with their samples by stall reason."""
    report = make_sampled_report(tmp_path / "report.db")
    done = prof("kernel", "--import", report, "--page", "source", "--csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].replace('"', "").startswith(SOURCE_HEAD)
    parts = dict(source_parts(done.stdout))
    assert set(parts) == set(NAMES.values())
    for mangled, name in NAMES.items():
        samples = [each for each in instructions() if each["function"] == mangled]
        rows = {int(row["Address"], 16): row for row in parts[name]}
        assert list(rows) == list(range(0, 16 * len(rows), 16)) and all(row["Source"].strip() for row in rows.values())
        assert sum(int(row["# Samples"]) for row in rows.values()) == sum(int(each["samples"]) for each in samples)
        for each in samples:
            if each["stall"] == "long_scoreboard":
                row = rows[int(each["offset"])]
                assert row["stall_long_sb"] == each["samples"]
                assert row["stall_long_sb (Not Issued)"] == each["not_issued"]
        for row in rows.values():
            stalls = {key: int(value) for key, value in row.items() if key.startswith("stall_")}
            assert sum(value for key, value in stalls.items() if key.endswith("(Not Issued)")) \
                == int(row["Warp Stall Sampling (Not-issued Samples)"])
            assert sum(stalls.values()) == int(row["# Samples"]) + int(row["Warp Stall Sampling (Not-issued Samples)"])
    done = prof("kernel", "--import", ncu_report.make_report(tmp_path / "metrics.db"), "--page", "source", "--csv")
    assert done.returncode == 1 and "neither PC samples" in done.stderr


@pytest.mark.skipif(not NCU_TRUTH.exists(), reason="needs what the genuine ncu printed")
@pytest.mark.parametrize("kernel", ["divergent", "gemm_tiled", "histogram_global", "transpose"])
def test_genuine_source_page(tmp_path, kernel):
    """The samples of all instructions are in the columns in which ncu has them."""
    with gzip.open(NCU_TRUTH.parent / f"source/source_{kernel}.csv.gz", "rt") as file:
        (name, theirs), *_ = source_parts(file.read())
    report = make_sampled_report(tmp_path / "report.db")
    parts = dict(source_parts(prof("kernel", "--import", report, "--page", "source", "--csv").stdout))
    ours = parts[name.replace("(int)", "")]
    sampled = [key for key in theirs[0] if "ampl" in key or key.startswith("stall_")]
    # ncu leaves out columns of counts that are 0 everywhere.
    assert [key for key in ours[0] if key in theirs[0]] == list(theirs[0]) and len(sampled) == 39
    assert [[row[key] for key in sampled] for row in ours] == [[row[key] for key in sampled] for row in theirs]
    start = int(theirs[0]["Address"], 16)
    assert [int(row["Address"], 16) - start for row in theirs] == [int(row["Address"], 16) for row in ours]


@pytest.mark.skipif(not NCU_TRUTH.exists(), reason="needs what the genuine ncu printed")
@pytest.mark.parametrize("kernel", ["divergent", "gemm_tiled", "histogram_global", "transpose"])
def test_counts_of_the_genuine_source_page(tmp_path, kernel):
    """SASS metrics of all instructions. What is empty here is not counted."""
    with gzip.open(NCU_TRUTH.parent / f"source/source_{kernel}.csv.gz", "rt") as file:
        (name, theirs), *_ = source_parts(file.read())
    report = make_counted_report(tmp_path / "report.db")
    done = prof("kernel", "--import", report, "--page", "source", "--csv")
    assert done.returncode == 0, done.stderr
    parts = source_parts(done.stdout)
    assert len(parts) == len(NAMES)
    ours = dict(parts)[name.replace("(int)", "")]
    counted = [key for key in theirs[0] if ours[0][key] and key not in ("Address", "Source")]
    assert len(counted) >= 10 and len(ours) == len(theirs)
    assert [[row[key] for key in counted] for row in ours] == [[row[key] for key in counted] for row in theirs]
