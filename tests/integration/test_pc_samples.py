"""Statistics and findings from PC samples, with those that Nsight Compute took on an H100 (pc_samples/).

kernels.cu has four kernels of a known-answer program at their lines; kernels.cubin is what nvcc 13.0 makes of it for
sm_90: the same code as in the program. instructions.tsv and lines.tsv are its samples by instruction and by line as
ncu 2025.3 prints them, kernels.tsv the samples of all kernels by stall reason, with the shares that the GPU counted.
"""
import contextlib
import csv
import gzip
import io
import json
import os
import sqlite3
import zlib
from pathlib import Path

import pytest
from finding_reports import analyze, check_gains
from made_up_program import METRIC_PERIOD, MS, Program
from named import with_names
from profiling import prof

TRUTH = Path(__file__).parent / "pc_samples"
CUBIN = gzip.decompress((TRUTH / "kernels.cubin.gz").read_bytes())
SCHEMA = Path(os.environ["PROF_SOURCE"]) / "common/report/schema"
EXAMPLES = Path(os.environ["PROF_SOURCE"]) / "tests/unit/common/code/cubin"
NAMES = {"_Z9divergentPfi": "divergent(float *, int)",
         "_Z10gemm_tiledPKfS0_Pfi": "gemm_tiled(const float *, const float *, float *, int)",
         "_Z16histogram_globalPKjPji": "histogram_global(const unsigned int *, unsigned int *, int)",
         "_Z9transposeILi0EEvPKfPfi": "void transpose<(int)0>(const float *, float *, int)"}
TABLES = """
    CREATE TABLE PROF_PC_SAMPLES (start, end, globalPid, deviceId, contextId, cubinCrc, functionId, pcOffset, stallId,
      samples, notIssued);
    CREATE TABLE PROF_CUBINS (crc, size, content);
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN mangledName;
"""


def table(name):
    with open(TRUTH / name, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def report_of(path, names, samples, cubin=CUBIN, metrics=None):
    """Each kernel runs for 10 ms. Samples are (mangled name, offset, stall, samples, not issued)."""
    program = Program(path / "report.sqlite")
    for name in names.values():
        program.kernel(name, 10 * MS)
    program.synchronize()
    if metrics:
        program.sample_metrics(metrics)
    report = program.done()
    with contextlib.closing(sqlite3.connect(report)) as database:
        database.executescript(TABLES)
        strings = dict(database.execute("SELECT value, id FROM StringIds"))

        def string(text):
            if text not in strings:
                strings[text] = max(strings.values()) + 1
                database.execute("INSERT INTO StringIds VALUES (?, ?)", (strings[text], text))
            return strings[text]

        for mangled, name in names.items():
            database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET mangledName = ? WHERE demangledName = ?",
                             (string(mangled), string(name)))
        database.executemany("INSERT INTO PROF_PC_SAMPLES VALUES (1000000, 100000000, ?, 0, 1, 77, ?, ?, ?, ?, ?)",
                             [(1 << 48 | 482 << 24, string(function), offset, string(stall), count, not_issued)
                              for function, offset, stall, count, not_issued in samples])
        if cubin is not None:
            database.execute("INSERT INTO PROF_CUBINS VALUES (77, ?, ?)", (len(cubin), zlib.compress(cubin)))
        database.commit()
    return report


def by_instruction(*functions):
    return [(each["function"], int(each["offset"]), each["stall"], int(each["samples"]), int(each["not_issued"]))
            for each in table("instructions.tsv") if not functions or each["function"] in functions]


def by_kernel(kernel):
    return [("k", 0, each["stall"], int(each["samples"]), int(each["not_issued"]))
            for each in table("kernels.tsv") if each["kernel"] == kernel and int(each["samples"])]


def rows(report, statistic):
    done = prof("stats", "-q", "-r", statistic, "-f", "csv", report)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def findings(report):
    done = prof("analyze", "-q", "-r", "findings", "-f", "json", report)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return {each["rule"]: each for each in with_names(done.stdout)["findings"]}


def test_samples_by_line_are_those_of_ncu(tmp_path):
    ours = {}
    for row in rows(report_of(tmp_path, NAMES, by_instruction()), "pc_sampling_lines:mangled"):
        key = row["Name"], row["Line"].rpartition(":")[2]
        ours[key] = ours.get(key, 0) + int(row["Samples"])
    theirs = {(each["function"], each["line"]): int(each["samples"]) for each in table("lines.tsv")
              if int(each["samples"])}
    # ncu counts four samples of the inlined atomicAdd twice, and gives the compiler's subroutine for square roots the
    # line of the code before it.
    theirs["_Z16histogram_globalPKjPji", "69"] -= 4
    theirs["_Z9divergentPfi", "87"] -= 14
    theirs["_Z9divergentPfi", ""] = 14
    assert ours == theirs


def test_samples_by_stall_reason_are_those_of_ncu(tmp_path):
    ours = {(row["Name"], row["Stall"]): int(row["Samples"])
            for row in rows(report_of(tmp_path, NAMES, by_instruction()), "pc_sampling_sum:mangled")}
    theirs = {}
    for function, _, stall, count, _ in by_instruction():
        theirs[function, stall] = theirs.get((function, stall), 0) + count
    assert ours == theirs


def test_the_sum_has_most_sampled_kernels_and_stalls_first(tmp_path):
    report = report_of(tmp_path, NAMES, by_instruction())
    found = rows(report, "pc_sampling_sum:base")
    assert (found[0]["Name"], found[0]["Stall"]) == ("histogram_global", "long_scoreboard")
    assert float(found[0]["Kernel (%)"]) > 99
    assert int(found[0]["Time (ns)"]) == pytest.approx(10 * MS, rel=0.01)
    assert found[0]["The Warp"] == "waits for data from the L1 cache, the L2 cache or DRAM"
    tiled = [row for row in found if row["Name"] == "gemm_tiled"]
    assert [row["Stall"] for row in tiled[:2]] == ["mio_throttle", "not_selected"]
    assert [float(row["Not Issued (%)"]) for row in tiled if row["Stall"] == "selected"] == [0]
    assert sum(float(row["Samples (%)"]) for row in found) == pytest.approx(100, abs=1)


def test_windows_of_time_select_samples(tmp_path):
    report = report_of(tmp_path, NAMES, by_instruction())
    done = prof("stats", "-q", "-r", "pc_sampling_sum", "--filter-time", "200ms/300ms", "-f", "csv", report)
    assert done.returncode == 0, done.stderr
    assert "long_scoreboard" not in done.stdout


KERNELS = {each["kernel"]: float(each["issued"]) for each in table("kernels.tsv")}


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_main_stall_is_that_of_the_counters(tmp_path, kernel):
    """ncu's rule names the stall with the largest share that the GPU counted."""
    if KERNELS[kernel] >= 0.6 or sum(count for *_, count, _ in by_kernel(kernel)) < 1000:
        pytest.skip("samples do not say what limits this kernel")
    counted = {each["stall"]: float(each["counters"]) for each in table("kernels.tsv")
               if each["kernel"] == kernel and each["stall"] not in ("selected", "not_selected")}
    found = [row for row in rows(report_of(tmp_path, {"k": kernel}, by_kernel(kernel)), "pc_sampling_sum")
             if row["Stall"] not in ("selected", "not_selected")]
    # Two stalls that are equally frequent may change places.
    first, second = (float(row["Kernel (%)"]) for row in found[:2])
    allowed = {found[0]["Stall"]} | ({found[1]["Stall"]} if first - second < 5 else set())
    assert max(counted, key=counted.get) in allowed


CAUSES = {"copy_streaming": "memory_stalls", "copy_strided": "memory_stalls", "gemm_naive": "memory_stalls",
          "gemm_tiled": "shared_memory_stalls", "void transpose<0>": "shared_memory_stalls",
          "void transpose<1>": "memory_stalls", "histogram_global": "memory_stalls", "low_occupancy": "memory_stalls",
          "divergent": "issue_bound_kernels", "fp64_heavy": "arithmetic_stalls", "pointer_chase": "memory_stalls",
          "local_memory": "memory_stalls", "special_functions": "issue_bound_kernels",
          "one_block": None}  # it has 20 samples
STALLS = {"memory_stalls", "shared_memory_stalls", "barrier_stalls", "arithmetic_stalls", "instruction_stalls",
          "issue_bound_kernels"}


@pytest.mark.parametrize("kernel", KERNELS)
def test_findings_name_the_cause(tmp_path, kernel):
    found = findings(report_of(tmp_path, {"k": kernel}, by_kernel(kernel)))
    cause = CAUSES[kernel.partition("(")[0]]
    assert set(found) & STALLS == ({cause} if cause else set())
    if cause:
        assert kernel.partition("(")[0] in found[cause]["evidence"]


@pytest.mark.parametrize("function, rule, part, reason, line", [
    ("_Z10gemm_tiledPKfS0_Pfi", "shared_memory_stalls", 56, "mio_throttle", "49"),
    ("_Z16histogram_globalPKjPji", "memory_stalls", 99.6, "long_scoreboard", "69"),
    ("_Z9transposeILi0EEvPKfPfi", "shared_memory_stalls", 49, "mio_throttle", "59"),
    ("_Z9divergentPfi", "issue_bound_kernels", 100, "", "84")])
def test_findings_name_the_line(tmp_path, function, rule, part, reason, line):
    found = findings(report_of(tmp_path, {function: NAMES[function]}, by_instruction(function)))[rule]
    assert f"kernels.cu:{line}" in found["evidence"]
    assert reason in found["evidence"]
    if reason == "mio_throttle":  # with short_scoreboard it is more
        assert f"in {'56' if 'gemm' in function else '41'} % of its samples" in found["evidence"]
    assert found["share_percent"] == pytest.approx(part, abs=6)


def test_findings_name_all_kernels_and_lines_of_one_report(tmp_path):
    """Thirteen kernels whose cause is known: each is named with its share and reason, those with code with the line."""
    known = [kernel for kernel in KERNELS if kernel.startswith(("divergent", "gemm_tiled", "histogram"))]
    samples = [(kernel, *rest) for kernel in KERNELS if kernel not in known for _, *rest in by_kernel(kernel)]
    names = {kernel: kernel for kernel in KERNELS if kernel not in known} | NAMES
    found = findings(report_of(tmp_path, names, samples + by_instruction()))
    for kernel, cause in CAUSES.items():
        if cause:
            assert kernel.split("<")[0] in found[cause]["evidence"], kernel
    assert "kernels.cu:49" in found["shared_memory_stalls"]["evidence"]
    assert "long_scoreboard at kernels.cu:69" in found["memory_stalls"]["evidence"] or \
        "are at kernels.cu:69" in found["memory_stalls"]["evidence"]
    assert " % at kernels.cu:84)" in found["issue_bound_kernels"]["evidence"] or \
        "are at kernels.cu:84" in found["issue_bound_kernels"]["evidence"]
    assert "mio_throttle at kernels.cu:59)" in found["shared_memory_stalls"]["evidence"]


def test_gains_are_those_of_the_line_at_no_cost(tmp_path):
    """A quarter of the samples are elsewhere."""
    report = report_of(tmp_path, {"scale": "scale"}, [("scale", 0x120, "long_scoreboard", 300, 290),
                                                      ("scale", 0x10, "wait", 100, 90)],
                       (EXAMPLES / "triton_90.cubin").read_bytes())
    document = analyze(report)
    check_gains(report, document)
    [found] = [each for each in document["findings"] if each["rule"] == "memory_stalls"]
    assert found["what_if"] == "kernel:^(scale)$*0.25"
    assert 0 < found["gain_ns"] <= found["at_stake_ns"]
    assert ", gain at most " in prof("analyze", "-q", report).stdout


def test_findings_of_metrics_name_the_line(tmp_path):
    function = "_Z16histogram_globalPKjPji"
    name = NAMES[function]
    load = {"SMs Active": 95, "Compute Warps in Flight": 60, "DRAM Read Bandwidth": 55, "DRAM Write Bandwidth": 28}
    found = findings(report_of(tmp_path, {function: name}, by_instruction(function), metrics={name: load}))
    assert METRIC_PERIOD < MS
    assert "memory_stalls" not in found
    assert found["memory_bound_kernels"]["evidence"].endswith("DRAM, most at kernels.cu:69")


@pytest.mark.parametrize("cubin", [None, b"", b"\177ELF", CUBIN[:3000], bytes(5000)])
def test_reports_without_a_readable_cubin(tmp_path, cubin):
    report = report_of(tmp_path, NAMES, by_instruction(), cubin)
    lines = rows(report, "pc_sampling_lines")
    assert {row["Line"] for row in lines} == {""}
    assert sum(int(row["Samples"]) for row in lines) == sum(count for *_, count, _ in by_instruction())
    assert {row["Function"] for row in rows(report, "pc_sampling_functions")} >= {"divergent(float*, int)"}
    assert "kernels.cu" not in json.dumps(findings(report))


def test_python_lines_of_triton(tmp_path):
    report = report_of(tmp_path, {"scale": "scale"}, [("scale", 0x120, "long_scoreboard", 300, 290),
                                                      ("scale", 0x10, "wait", 100, 90)],
                       (EXAMPLES / "triton_90.cubin").read_bytes())
    lines = rows(report, "pc_sampling_lines")
    assert [(row["Line"], row["Main Stall"], row["Kernel (%)"]) for row in lines] == [
        ("/tmp/example/example.py:7", "long_scoreboard", "75.0"), ("/tmp/example/example.py:12", "wait", "25.0")]
    assert lines[0]["Inlined"] == "in scale at /tmp/example/example.py:14"
    assert "example.py:7, inlined at example.py:14" in findings(report)["memory_stalls"]["evidence"]


def test_inlined_functions(tmp_path):
    report = report_of(tmp_path, {"_Z5scalePKfPfi": "scale(const float *, float *, int)"},
                       [("_Z5scalePKfPfi", offset, "wait", 10, 9) for offset in (0x0, 0xd0, 0xf0, 0x240, 0x2a0)],
                       (EXAMPLES / "nvcc_120.cubin").read_bytes())
    found = {row["Function"]: (row["Self Samples"], row["Total Samples"], row["Main Stall"])
             for row in rows(report, "pc_sampling_functions")}
    assert found == {"scale(float const*, float*, int)": ("10", "30", "wait"),
                     "inner(float)": ("20", "20", "wait"),
                     "middle(float const*, int)": ("10", "20", "wait"),
                     "outer(float)": ("0", "10", ""),
                     "__cuda_sm3x_div_rn_noftz_f32_slowpath": ("10", "10", "wait")}


def sass(report, argument="", **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    done = prof("stats", "-q", "-r", f"pc_sampling_sass{argument}", "-f", "csv", report,
                env=clean | {"PATH": "/nowhere", "CUDA_HOME": "/nowhere"} | environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def fake_nvdisasm(path, text, status=0):
    path.write_text(f"""#!/bin/sh
PATH=/usr/bin:/bin
[ "$1 $2 $#" = "-c -fun 4" ] && head -c 4 "$4" | grep -q ELF || exit 1
cat << 'END'
{text}
END
exit {status}
""")
    path.chmod(0o755)
    return str(path)


def test_instructions_as_nvdisasm_prints_them(tmp_path):
    report = report_of(tmp_path, NAMES, by_instruction())
    nvdisasm = fake_nvdisasm(tmp_path / "nvdisasm", """
.text._Z16histogram_globalPKjPji:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/              @!P0 BRA `(.L_x_1);
        /*not an offset*/""")
    for variables in ({"TRITON_NVDISASM_PATH": nvdisasm}, {"PATH": f"relative:{tmp_path}"}):
        found = sass(report, **variables)
        assert {row["Name"] for row in found} == {NAMES["_Z16histogram_globalPKjPji"]}
        assert [row["Instruction"] for row in found[:2]] == ["LDC R1, c[0x0][0x28]", "@!P0 BRA `(.L_x_1)"]
        assert found[2]["Instruction"].startswith("0x")
        assert [row["Offset"] for row in found[:3]] == ["0x0", "0x10", "0x20"]
        assert sum(int(row["Samples"]) for row in found) == 37398
        assert {row["Line"].rpartition(":")[2] for row in found if row["Samples"] != "0"} >= {"68", "69", "70"}


@pytest.mark.parametrize("text, status", [("", 0), ("/*0000*/ NOP ;", 1), ("/*zz*/ /* /*0*", 0)])
def test_raw_instructions_without_nvdisasm(tmp_path, text, status):
    report = report_of(tmp_path, NAMES, by_instruction())
    found = sass(report, ":kernel=transpose", TRITON_NVDISASM_PATH=fake_nvdisasm(tmp_path / "x", text, status))
    assert {row["Name"] for row in found} == {NAMES["_Z9transposeILi0EEvPKfPfi"]}
    assert all(len(row["Instruction"]) == 37 for row in found)
    assert len(found) == 64


def test_instructions_of_kernels_without_a_cubin(tmp_path):
    found = sass(report_of(tmp_path, NAMES, by_instruction(), None), ":kernel=*")
    assert len(found) == len({each[:2] for each in by_instruction()})
    assert {row["Instruction"] for row in found} == {""}


def job_of(tmp_path, parts):
    """A folder with a report for each rank, with its part of the samples."""
    folder = tmp_path / "job"
    for rank, samples in enumerate(parts):
        place = tmp_path / str(rank)
        place.mkdir()
        folder.mkdir(exist_ok=True)
        names = {name: text for name, text in NAMES.items() if any(each[0] == name for each in samples)}
        report = report_of(place, names, samples).rename(folder / f"rank_{rank}.sqlite")
        with contextlib.closing(sqlite3.connect(report)) as database:
            database.executescript((SCHEMA / "PROF_RANKS.sql").read_text())
            database.execute("INSERT INTO PROF_RANKS (globalPid, rank, size, source, precedence) "
                             "VALUES (?, ?, ?, 'test', 0)",
                             (1 << 48 | 482 << 24, rank, len(parts)))
            database.commit()
    return folder


STATISTICS = {"pc_sampling_sum": ("Stall", "The Warp", "Name"),
              "pc_sampling_lines": ("Line", "Function", "Inlined", "Name"),
              "pc_sampling_functions": ("File", "Function")}


def of_job(folder, statistic):
    done = prof("stats", "-q", "-r", statistic, "-f", "csv", folder)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_samples_of_a_job_are_those_of_all_ranks(tmp_path, statistic):
    """Three ranks with a third of the samples of each instruction, and a kernel that only one of them has."""
    parts = [[], [], []]
    for function, offset, stall, samples, not_issued in by_instruction():
        for rank in (0, 1, 2) if function != "_Z9divergentPfi" else (1,):
            share = [samples, not_issued] if function == "_Z9divergentPfi" else [
                (number + rank) // 3 for number in (samples, not_issued)]
            if share[0] > 0:
                parts[rank].append((function, offset, stall, *share))
    whole = tmp_path / "whole"
    whole.mkdir()
    names = STATISTICS[statistic]

    def keyed(found, *columns):
        return {tuple(row[name] for name in names): tuple(row[name] for name in columns) for row in found}

    columns = [name for name in rows(report_of(whole, NAMES, by_instruction()), statistic)[0]
               if name not in ("Time (ns)", "Kernels", *names)]
    merged = of_job(job_of(tmp_path, parts), statistic)
    assert keyed(merged, *columns) == keyed(rows(whole / "report.sqlite", statistic), *columns)
    counts = [int(row[columns[1]]) for row in merged]
    if statistic != "pc_sampling_sum":
        assert counts == sorted(counts, reverse=True)
    if statistic == "pc_sampling_functions":
        return
    many = [row for row in merged if int(row["Samples"]) > 30]
    assert {(row["Name"].startswith("divergent"), row["Ranks"]) for row in many} == {(True, "1"), (False, "3")}
    assert {row["Max Rank"] for row in merged if row["Name"].startswith("divergent")} == {"1"}


def test_times_of_a_job_are_the_sum(tmp_path):
    folder = job_of(tmp_path, [by_instruction("_Z9divergentPfi"), by_instruction()])
    times = {}
    for report in folder.iterdir():
        for row in rows(report, "pc_sampling_sum"):
            times[row["Stall"], row["Name"]] = times.get((row["Stall"], row["Name"]), 0) + int(row["Time (ns)"])
    assert {(row["Stall"], row["Name"]): int(row["Time (ns)"]) for row in of_job(folder, "pc_sampling_sum")} == times


def test_machine_instructions_of_a_job_are_not_merged(tmp_path):
    folder = job_of(tmp_path, [by_instruction("_Z9divergentPfi")])
    assert "cannot merge these over ranks: pc_sampling_sass" in prof("stats", "-r", "pc_sampling_sass", folder).stderr
