"""SASS metrics by source line, with what Nsight Compute counted on an H100 (pc_samples/).

sass_counts.tsv has its counts by instruction of four kernels, and sass_lines.tsv what it prints for their lines. The
kernels are those of kernels.cubin.
"""
import csv
import gzip
import io
import json
import zlib
from pathlib import Path

import ncu_report
import pytest
from named import with_names
from profiling import prof

TRUTH = Path(__file__).parent / "pc_samples"
CUBIN = gzip.decompress((TRUTH / "kernels.cubin.gz").read_bytes())
NAMES = {"_Z9divergentPfi": "divergent", "_Z10gemm_tiledPKfS0_Pfi": "gemm_tiled",
         "_Z16histogram_globalPKjPji": "histogram_global", "_Z9transposeILi0EEvPKfPfi": "void transpose<0>"}
CRC = 0xd97194c8
SUMS = {"sectors_mem_global": "memory_l2_theoretical_sectors_global",
        "l1tex_pipe_lsu_wavefronts_mem_shared": "memory_l1_wavefronts_shared"}


def table(name):
    with open(TRUTH / name, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def make_report(path, functions=NAMES, change=None, cubin=CUBIN):
    """A launch of each kernel, with its counts."""
    units, known = ncu_report.known_kernels()
    report = ncu_report.NcuReport(path, units)
    for each in ("PROF_SASS_COUNTS", "PROF_CUBINS"):
        report.database.executescript((ncu_report.SCHEMA / f"{each}.sql").read_text())
    columns = [name for name in table("sass_counts.tsv")[0] if name not in ("function", "offset")]
    first = len(report.metrics)
    report.database.executemany("INSERT INTO PROF_METRIC_NAMES VALUES (?, ?, 'inst', NULL, 'GH100')",
                                [(first + at, f"smsp__sass_{name}") for at, name in enumerate(columns)])
    for profile, function in enumerate(functions):
        kernel, = (each for each in known if each["Kernel Name"].startswith(NAMES[function] + "("))
        rows = [dict(row) for row in table("sass_counts.tsv") if row["function"] == function]
        for row in rows:
            if change:
                change(row)
        report.launch(kernel)
        report.database.executemany(
            "INSERT INTO PROF_SASS_COUNTS VALUES (?, ?, ?, ?, ?, ?)",
            [(profile, CRC, report.string(function), int(row["offset"]), first + at, int(row[name]))
             for row in rows for at, name in enumerate(columns) if int(row[name])])
    if cubin:
        report.database.execute("INSERT INTO PROF_CUBINS VALUES (?, ?, ?)", [CRC, len(cubin), zlib.compress(cubin)])
    return report.done()


def rows(statistic, report, *options):
    done = prof("stats", "-q", "-r", statistic, "-f", "csv", *options, report)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def rules(report):
    return {(row["Name"].split("(")[0], row["Rule"]): row["Reason"] for row in rows("kernel_rules", report)}


def test_lines_have_the_counts_of_ncu(tmp_path):
    names = {"Instructions": "inst_executed", "Divergent Branches": "branch_targets_threads_divergent",
             "Global Sectors": "sectors_mem_global", "Shared Wavefronts": "l1tex_pipe_lsu_wavefronts_mem_shared"}
    ours, threads = {}, {}
    for row in rows("kernel_source_lines", make_report(tmp_path / "report.db")):
        key = row["Name"].split("(")[0], row["Line"].rpartition(":")[2]
        for column, name in names.items():
            ours[*key, name] = ours.get((*key, name), 0) + int(row[column] or 0)
        threads[key] = threads.get(key, 0) + float(row["Threads"]) * int(row["Instructions"])
    theirs = table("sass_lines.tsv")
    assert len(theirs) == 29
    # ncu counts an instruction of an inlined function (atomicAdd, line 112) at the line of the call, too.
    twice, = (row for row in theirs if row["line"] == "69")
    twice["inst_executed"] = int(twice["inst_executed"]) - 131072
    twice["thread_inst_executed_pred_on"] = int(twice["thread_inst_executed_pred_on"]) - 131072 * 32
    assert {(NAMES[row["function"]], row["line"], name): int(row[name])
            for row in theirs for name in names.values()} == ours
    assert sum(value for (_, _, name), value in ours.items() if name == "inst_executed") == \
        sum(int(row["inst_executed"]) for row in table("sass_counts.tsv"))
    for row in theirs:
        key = NAMES[row["function"]], row["line"]
        # A tenth of a thread is the precision of the column.
        assert threads[key] == pytest.approx(int(row["thread_inst_executed_pred_on"]), abs=0.05 * int(row["inst_executed"]))


def test_a_line_names_its_excess(tmp_path):
    line, = (row for row in rows("kernel_source_lines", make_report(tmp_path / "report.db"))
             if row["Excess Wavefronts"] not in ("", "0"))
    assert line["Line"].endswith("kernels.cu:64") and line["Name"].startswith("void transpose<0>(")
    assert (line["Excess Wavefronts"], line["Excess Wavefronts (%)"], line["Wavefronts/Request"]) == \
        ("16252928", "96.9", "32.00")


def test_inlined_functions_have_their_callers(tmp_path):
    lines = {row["Line"].rpartition(":")[2]: row for row in rows(
        "kernel_source_lines:base", make_report(tmp_path / "report.db", ["_Z16histogram_globalPKjPji"]))}
    assert lines["112"]["Inlined"].startswith("in histogram_global") and lines["112"]["Inlined"].endswith(":69")
    assert {row["Name"] for row in lines.values()} == {"histogram_global"}


def test_rules_name_the_line(tmp_path):
    found = rules(make_report(tmp_path / "report.db"))
    assert found["void transpose<0>", "shared_wavefronts"].endswith(
        "kernels.cu:64 has 100 % of them: 32 wavefronts a request where 1 would do")
    assert "kernels.cu:84 has" in found["divergent", "divergent_threads"]
    assert found["divergent", "divergent_threads"].endswith(" of 32 threads work")


def test_uncoalesced_accesses(tmp_path):
    def spread(row):
        row["sectors_mem_global"] = 8 * int(row["sectors_mem_global"])

    report = make_report(tmp_path / "report.db", ["_Z16histogram_globalPKjPji"], change=spread)
    line, = (row for row in rows("kernel_source_lines", report) if row["Line"].endswith(":69"))
    assert (line["Excess Sectors (%)"], line["Sectors/Request"]) == ("87.5", "32.00")


def test_rules_without_counters(tmp_path):
    """With SASS metrics alone it is not known for which part of the time a unit works."""
    units, known = ncu_report.known_kernels()
    report = ncu_report.NcuReport(tmp_path / "report.db", units)
    report.launch(known[1], only={name for name in known[1] if "memory_l2_theoretical" in name})
    row, = (row for row in rows("kernel_rules", report.done()) if row["Rule"] == "uncoalesced_accesses")
    assert row["Estimate (%)"] == "87.50" and "29360128 of 33554432 sectors" in row["Reason"]


def test_without_code_functions_are_named(tmp_path):
    report = make_report(tmp_path / "report.db", ["_Z9divergentPfi"], cubin=None)
    line, = rows("kernel_source_lines", report)
    assert (line["Line"], line["Function"]) == ("", "divergent(float*, int)")
    assert "kernels.cu" not in str(rules(report))


def test_findings_name_the_line(tmp_path):
    done = prof("analyze", "-q", "-r", "findings", "-f", "json", make_report(tmp_path / "report.db"))
    assert done.returncode == 0, done.stderr
    finding, = (each for each in with_names(done.stdout)["findings"] if each["rule"] == "shared_wavefronts")
    assert "kernels.cu:64 has 100 % of them: 32 wavefronts a request where 1 would do" in json.dumps(finding)


def test_hostile_counts_do_no_harm(tmp_path):
    def grow(row):
        for name in row:
            if name not in ("function", "offset"):
                row[name] = (1 << 63) - 1

    assert rows("kernel_source_lines", make_report(tmp_path / "report.db", change=grow))
    assert rules(tmp_path / "report.db")


def test_reports_without_counts(tmp_path):
    report = ncu_report.make_report(tmp_path / "plain.db", kernels=[0])
    done = prof("stats", "-r", "kernel_source_lines", report)
    assert "--metrics=smsp__sass_" in done.stdout + done.stderr
