"""Source lines and inlined functions of native code: --lines of prof stats and prof export."""
import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
from collections import Counter

import pytest
from pprof_file import PprofFile
from profiling import PROF, prof, profile, program, source_of
from view_server import viewing

SAMPLING = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)["sampling"]
pytestmark = pytest.mark.skipif(not SAMPLING["available"], reason=SAMPLING["detail"])

SOURCE = source_of("inlined_lines.cpp")
LINES = {mark: number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
         for mark in re.findall(r"// LINE: (.*)", line)}
OPTIONS = ("-s", "process-tree", "--cpuctxsw=process-tree")
POINTS = 4  # percentage points; there are at least 600 samples


def rows(report, name, *options):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *options, report)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def place(mark):
    return f"{SOURCE}:{LINES[mark]}"


def shares(table, column):
    found = Counter()
    for row in table:
        found[row["Function"].strip(), row["Location"]] += float(row[column])
    return found


def copied(report, path, *statements):
    """A copy of the report after these changes."""
    shutil.copy(report.path, path)
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("lines"), program("inlined_lines"), traces="osrt", options=OPTIONS)


@pytest.mark.alone
def test_self_time_is_of_the_innermost_inlined_function(report):
    known = report.expected()
    table = rows(report.path, "cpu_sample_sum", "--lines")
    self_time, total = shares(table, "Self (%)"), shares(table, "Total (%)")
    for function, mark in (("step", "long loop"), ("step", "short loop"), ("fifth", "fifth")):
        assert self_time[function, place(mark)] == pytest.approx(known[mark], abs=POINTS)
    for function, mark, share in (("between", "two deep", "half"), ("half", "half", "half"), ("third", "third", "third")):
        assert self_time[function, place(mark)] == 0
        assert total[function, place(mark)] == pytest.approx(known[share], abs=POINTS)
    by_function = Counter()
    for row in rows(report.path, "cpu_sample_sum:function", "--lines"):
        by_function[row["Function"]] += float(row["Self (%)"])
        assert ".cpp:" not in row["Location"]
    assert by_function["step"] == pytest.approx(known["half"] + known["third"], abs=POINTS)
    assert by_function["half"] == by_function["between"] == by_function["third"] == 0


@pytest.mark.alone
def test_inlined_functions_are_frames_of_the_tree(report):
    known = report.expected()
    paths, found = [], {}
    for row in rows(report.path, "cpu_sample_tree", "--lines"):
        del paths[int(row["Depth"]):]
        paths.append((row["Function"].strip(), row["Location"]))
        found[tuple(paths[-4:])] = float(row["Total (%)"])
    calls = [line for line, text in enumerate(SOURCE.read_text().splitlines(), 1) if re.match(r"    (half|third)\(\);", text)]
    half, third = (("main", f"{SOURCE}:{line}") for line in calls)
    between = ("between (inlined)", place("two deep"))
    assert found[(half, ("half", place("half")), between, ("step (inlined)", place("long loop")))] == \
        pytest.approx(known["half"] * known["long loop"] / (known["half"] + known["third"]), abs=POINTS)
    whole = sum(share for path, share in found.items() if path[-3:-1] == (third, ("third", place("third"))))
    assert whole == pytest.approx(known["third"], abs=POINTS)


def test_inlined_functions_are_in_the_flame_graph_of_the_viewer(report):
    with viewing(report.path) as server:
        server.exact_rows()
        server.json("summary", wait=1)
        flame = server.json("flame", kind="cpu")
        own = Counter()
        for _, number, _, self_time in flame["nodes"]:
            own[flame["functions"][number][0]] += self_time
        assert own["step"] > 0.9 * flame["total"] * report.expected()["half"] / 100 and own["between"] == 0


def test_callers_of_waits(report):
    pause = [row for row in rows(report.path, "osrt_callers:depth=2", "--lines") if row["Name"] == "usleep"]
    assert [(row["Caller"], row["Location"], row["Num Calls"]) for row in pause] == \
        [("pause_a_while < waits", f"{place('pause')} < {place('waits')}", "2")]
    waits = [row for row in rows(report.path, "thread_state_sum:osrt", "--lines") if row["Function"] == "usleep"]
    assert [(row["Caller"], row["Location"]) for row in waits] == [("pause_a_while", place("pause"))]


@pytest.mark.alone
def test_pprof_has_inlined_functions_in_one_location(report, tmp_path):
    path = tmp_path / "lines.pb.gz"
    assert prof("export", "--type=pprof", "--lines", "-o", path, report.path).returncode == 0
    found = Counter()
    for sample in PprofFile(path).samples:
        found[tuple(sample.locations[0].lines)] += sample.values[0]
    whole = sum(found.values())
    known = report.expected()
    lines = [("step", str(SOURCE), LINES["long loop"]), ("between", str(SOURCE), LINES["two deep"]), ("half", str(SOURCE), LINES["half"])]
    assert 100 * found[tuple(lines)] / whole == \
        pytest.approx(known["half"] * known["long loop"] / (known["half"] + known["third"]), abs=POINTS)


def test_other_formats_have_lines(report):
    done = prof("export", "--type=collapsed", "--lines", report.path)
    ends = (f"half (inlined_lines.cpp:{LINES['half']});between (inlined_lines.cpp:{LINES['two deep']});"
            f"step (inlined_lines.cpp:{LINES['long loop']})")
    assert any(line.rsplit(" ", 1)[0].endswith(ends) for line in done.stdout.splitlines())
    frames = json.loads(prof("export", "--type=speedscope", "--lines", report.path).stdout)["shared"]["frames"]
    assert {"name": "between", "file": str(SOURCE), "line": LINES["two deep"]} in frames
    shared = json.loads(prof("export", "--type=firefox", "--lines", report.path).stdout)["shared"]
    table, functions, texts = shared["frameTable"], shared["funcTable"], shared["stringArray"]
    depths = {(texts[functions["name"][function]], line): depth
              for function, line, depth in zip(table["func"], table["line"], table["inlineDepth"])}
    assert depths["between", LINES["two deep"]] == 1
    assert depths["half", LINES["half"]] == 0
    assert depths["fifth", LINES["fifth"]] == 0


def test_places_are_of_the_frames(report):
    """Each place once, and no places of other code."""
    assert report.value("SELECT count(*) FROM PROF_CODE_PLACES") == \
        report.value("SELECT count(*) FROM (SELECT DISTINCT module, originalIP, isReturnAddress FROM PROF_CODE_PLACES)")
    of_frames = " UNION ".join(f"SELECT module, originalIP FROM {table}" for table in ("SAMPLING_CALLCHAINS", "OSRT_CALLCHAINS"))
    assert report.value(f"SELECT count(*) FROM (SELECT module, originalIP FROM PROF_CODE_PLACES EXCEPT SELECT * FROM ({of_frames}))") == 0
    known = {row["value"] for row in report.query("SELECT DISTINCT value FROM PROF_CODE_PLACES JOIN StringIds ON id = buildId")}
    notes = subprocess.run(["readelf", "-n", program("inlined_lines")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"Build ID: (\w+)", notes).group(1) in known


def test_without_lines_nothing_is_different(report, tmp_path):
    """Also with an older report, which has no places."""
    old = copied(report, tmp_path / report.path.name, "DROP TABLE PROF_CODE_PLACES")
    for name in ("osrt_callers:depth=-1", "thread_state_sum:osrt"):
        assert rows(report.path, name) == rows(old, name)
    for kind in ("firefox", "pprof"):
        outputs = [subprocess.run([str(PROF), "export", f"--type={kind}", str(path)], stdout=subprocess.PIPE, check=True).stdout
                   for path in (report.path, old)]
        assert outputs[0] == outputs[1] and b"inlined_lines.cpp" not in outputs[0]


def test_inlined_functions_count_without_lines(report, tmp_path):
    old = copied(report, tmp_path / report.path.name, "DROP TABLE PROF_CODE_PLACES")
    for name in ("cpu_sample_sum", "cpu_sample_tree"):
        table = rows(report.path, name)
        assert "between" in {row["Function"].strip() for row in table}
        assert "between" not in {row["Function"].strip() for row in rows(old, name)}
        assert not any("inlined_lines.cpp" in row.get("Location", "") for row in table)
    for kind in ("collapsed", "speedscope"):
        output = prof("export", f"--type={kind}", "-o", "-", report.path).stdout
        assert "between" in output and "inlined_lines.cpp" not in output


def test_reports_without_places(report, tmp_path):
    old = copied(report, tmp_path / "old.db", "DROP TABLE PROF_CODE_PLACES")
    done = prof("stats", "-r", "cpu_sample_sum", "-f", "csv", "--lines", old)
    assert done.returncode == 0 and "PROF_CODE_PLACES" in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout.split("\n\n")[-1] == prof("stats", "-r", "cpu_sample_sum", "-f", "csv", old).stdout.split("\n\n")[-1]
    done = prof("export", "--type=collapsed", "--lines", old)
    assert done.returncode == 0 and "PROF_CODE_PLACES" in done.stderr
    assert done.stdout == prof("export", "--type=collapsed", old).stdout


def test_a_stripped_program_with_its_debug_file(tmp_path):
    stripped, debug = tmp_path / "stripped", tmp_path / "stripped.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program("inlined_lines"), debug], check=True)
    subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program("inlined_lines"), stripped], check=True)
    report = profile(tmp_path, str(stripped), traces="osrt", options=OPTIONS)
    assert shares(rows(report.path, "cpu_sample_sum", "--lines"), "Self (%)")["step", place("long loop")] > 30
    debug.unlink()
    done = prof("stats", "-r", "cpu_sample_sum", "-f", "csv", "--lines", report.path)
    assert done.returncode == 0 and f"{stripped} (no debug information)" in done.stderr and "-dbgsym" in done.stderr
    assert "inlined_lines.cpp" not in done.stdout and str(stripped) in done.stdout


def test_another_build_is_not_used(tmp_path):
    changed = tmp_path / "changed"
    shutil.copy(program("inlined_lines"), changed)
    report = profile(tmp_path, str(changed), traces="osrt", options=OPTIONS)
    notes = subprocess.run(["readelf", "-n", changed], stdout=subprocess.PIPE, text=True, check=True).stdout
    build_id = bytes.fromhex(re.search(r"Build ID: (\w+)", notes).group(1))
    content = changed.read_bytes()
    assert content.count(build_id) == 1
    changed.write_bytes(content.replace(build_id, bytes(byte ^ 1 for byte in build_id)))
    done = prof("stats", "-r", "cpu_sample_sum", "-f", "csv", "--lines", report.path)
    assert done.returncode == 0 and f"{changed} (not the recorded build)" in done.stderr
    assert "inlined_lines.cpp" not in done.stdout
    changed.unlink()
    assert f"{changed} (cannot be read)" in prof("export", "--type=collapsed", "--lines", report.path).stderr
    quiet = prof("stats", "-q", "-r", "cpu_sample_sum", "--lines", report.path)
    assert quiet.returncode == 0 and quiet.stderr == ""


def test_code_without_lines(report):
    for words in (["stats", "-r", "osrt_sum,cpu_sample_sum:thread,thread_state_sum", "--lines"],
                  ["export", "--json", "--lines"]):
        done = prof(*words, report.path)
        assert done.returncode == 2 and "--lines" in done.stderr
    assert prof("stats", "-q", "-r", "osrt_sum,cpu_sample_tree", "--lines", report.path).returncode == 0


@pytest.mark.alone
def test_chains_in_the_viewer_have_lines(report):
    """The innermost frame of a sample is the function and line of a mark of the source."""
    with viewing(report.path) as server:
        samples = next(row for row in server.exact_rows()["rows"] if row["kind"] == "samples")
        assert server.json("summary", wait=1)["exact"]
        places = Counter()
        for event in server.json("events", row=samples["id"], limit=1000)["events"]:
            chain = server.json("event", row=event["row"], source=event["source"], id=event["id"])["chain"]
            places.update({frame["place"] for frame in chain if frame["kind"] == "native"})
    known = {f"{SOURCE.name}:{line}" for line in LINES.values()}
    assert known & {place.rpartition("/")[2] for place in places}, places.most_common(10)
