"""prof diff: made-up reports with known answers, and wrong usage."""
import csv
import io
import json
import sqlite3
from xml.etree import ElementTree

import pytest
from made_up_pair import PROCESS, THREAD, changes, diff, names, pair
from named import with_names
from profiling import prof, unpacked

EXPECTED = """\
Category,Count Before,Count After,Time Before (ns),Time After (ns),Difference (ns),Ratio,Status,Name
kernel,0,3,0,9000,9000,,added,fused<half>
kernel,2,2,10000,8000,-2000,0.800,changed,gemm<float>
osrt,0,1,0,2000,2000,,added,poll
kernel,1,0,700,0,-700,0.000,removed,gone<int>
copy,1,1,400,800,400,2.000,changed,[CUDA memcpy Host-to-Device]
nvtx,1,1,600,900,300,1.500,changed,train:step
osrt,1,0,33,0,-33,0.000,removed,read
nvtx,1,1,40,10,-30,0.250,changed,:step
api,0,1,0,20,20,,added,cudaLaunchKernel_v11060
fill,1,1,50,60,10,1.200,changed,[CUDA memset]
api,1,1,20,25,5,1.250,changed,cudaLaunchKernel
"""


# --- known answers

HEADLINE = """\
Session: 100.00 us → 120.00 us (+20.0 %)
GPU busy: 21.25 us → 28.06 us (+32.0 %); kernels: 5 → 7
kernels: 20.80 us → 27.20 us (+30.8 %): fused<half> +9.00 us (new), gemm<float> -2.00 us, gone<int> -700 ns (gone) and 1 more
copies: 400 ns → 800 ns (+100.0 %): [CUDA memcpy Host-to-Device] +400 ns
NVTX ranges: 640 ns → 910 ns (+42.2 %): train:step +300 ns, :step -30 ns
OS-runtime calls: 33 ns → 2.00 us (+5960.6 %): poll +2.00 us (new), read -33 ns (gone)
"""


def test_the_first_lines_say_what_changed(pair):
    for form in ("column", "table"):
        assert diff(pair, "-f", form).startswith(HEADLINE + "\n ** Before and After"), diff(pair)
    lines = HEADLINE.splitlines()
    assert with_names(diff(pair, "-f", "json"))["headline"] == lines
    reported = diff(pair, "-f", "markdown").replace("\\", "").splitlines()
    assert reported[2:2 + len(lines)] == ["- " + line for line in lines]
    for line in ("Session: ", "GPU busy: "):
        assert line in diff(pair, "-f", "hdoc") and line not in diff(pair, "-f", "csv")
    same = prof("diff", pair[0].path, pair[0].path).stdout.splitlines()[:3]
    assert same == ["Session: 100.00 us → 100.00 us (+0.0 %)", "GPU busy: 21.25 us → 21.25 us (+0.0 %); kernels: 5 → 5",
                    "No times changed."]


def test_the_headline_of_a_faster_program(tmp_path):
    """The nsys report of a program, and a copy of it with faster kernels and fewer copies."""
    before, after = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
    for path in (before, after):
        unpacked(path)
    with sqlite3.connect(after) as database:
        database.executescript("""
            UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + (end - start) / 4
              WHERE shortName = (SELECT id FROM StringIds WHERE value = 'spin');
            DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 1 AND rowid > (
              SELECT min(rowid) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 1);""")
    lines = prof("diff", before, after).stdout.splitlines()[:5]
    assert lines[2].startswith("kernels: 22.52 ms → 7.52 ms (-66.6 %): spin(long long) -15.00 ms"), lines
    assert lines[3].startswith("copies: ") and " times)" in lines[3], lines


def test_changes_by_the_time_they_explain(pair):
    assert changes(pair) == EXPECTED


def test_figures_of_the_whole(pair):
    assert diff(pair, "-f", "csv").split("\n\n")[0] == """\
Figure,Before,After,Difference,Ratio
Session (ns),100000,120000,20000,1.200
GPU busy (ns),21250,28059,6809,1.320
GPU busy (%),21.3,23.4,2.1,1.100
Kernels,5,7,2,1.400"""


def test_duration_without_one_of_the_session(pair):
    pair[0].drop("ANALYSIS_DETAILS")
    figure, before, after = diff(pair, "-f", "csv").splitlines()[1].split(",")[:3]
    assert figure == "First to last GPU operation (ns)"
    for report, value in zip(pair, (before, after)):
        first, last = report.database.execute(
            "SELECT MIN(start), MAX(end) FROM (SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL "
            "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL "
            "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET)").fetchone()
        assert int(value) == last - first


def test_small_changes_are_left_out(pair):
    assert "steady" not in names(pair) and "same<int>" not in names(pair)
    assert "steady" in names(pair, "--min-change", "0.9")
    everything = changes(pair, "--min-change", "0")
    assert "kernel,1,1,10000,10099,99,1.010,changed,steady\n" in everything
    assert everything.endswith("kernel,1,1,100,100,0,1.000,unchanged,same<int>\n")
    assert names(pair, "--min-change", "60") == ["fused<half>", "poll", "gone<int>", "read", ":step",
                                                 "cudaLaunchKernel_v11060"]


def test_number_of_rows(pair):
    assert len(names(pair, "--rows", "2")) == 2
    for number in range(40):
        pair[1].kernel(f"more{number}", 1)
    assert len(names(pair)) == 30
    assert len(names(pair, "--rows", "0")) == 51


def test_categories(pair):
    assert names(pair, "--category", "osrt,fill") == ["poll", "read", "[CUDA memset]"]
    assert names(pair, "--category=nvtx") == ["train:step", ":step"]


def test_short_names_of_kernels(pair):
    assert names(pair, "--category", "kernel", "--short-names") == ["fused", "gemm", "gone"]
    pair[0].kernel("gemm<half>", 500)
    assert "kernel,3,2,10500,8000,-2500,0.762,changed,gemm\n" in changes(pair, "--short-names")


def test_a_report_and_itself(pair):
    assert names((pair[0], pair[0])) == []
    assert "Session (ns),100000,100000,0,1.000\n" in diff((pair[0], pair[0]), "-f", "csv")


def add_thread(report, tid, calls):
    """A thread with these calls: [name, start, end]."""
    if "globalTid" not in [row[1] for row in report.database.execute("PRAGMA table_info(OSRT_API)")]:
        report.database.execute("ALTER TABLE OSRT_API ADD COLUMN globalTid")
    for name, start, end in calls:
        report.insert("OSRT_API", start, end, 27, report.string(name), PROCESS + tid)


def test_waits_of_idle_threads_come_last(pair):
    """Waits of a thread that does something else, too, are changes like others."""
    for report, length in zip(pair, (40_000, 90_000)):
        add_thread(report, 700, [("epoll_wait", 10, 10 + length)])  # only waits
        add_thread(report, 701, [("sem_wait", 10, 10 + length // 2), ("write", length - 10, length)])
    rows = list(csv.DictReader(io.StringIO(changes(pair))))
    assert (rows[0]["Name"], rows[0]["Status"]) == ("sem_wait", "changed")
    assert (rows[-1]["Name"], rows[-1]["Status"], rows[-1]["Difference (ns)"]) == ("epoll_wait", "waiting", "50000")
    assert [row["Name"] for row in rows].index("fused<half>") == 1
    lines = diff(pair).split("\n\n")[0].splitlines()
    assert lines[-1] == "waits of idle threads: 40.00 us → 90.00 us (+125.0 %): epoll_wait +50.00 us"
    assert "epoll_wait" not in "".join(lines[:-1])


def test_samples_show_that_a_thread_is_not_idle(pair):
    for report, length in zip(pair, (40_000, 90_000)):
        add_thread(report, 700, [("epoll_wait", 50_000, 50_000 + length)])
        report.database.execute("CREATE TABLE PROF_PYTHON_SAMPLES (start, globalTid, callchainId)")
        report.insert("PROF_PYTHON_SAMPLES", 10, PROCESS + 700, 1)
        report.database.execute("CREATE TABLE PROF_PYTHON_CALLCHAINS (id, symbol, module, unresolved, stackDepth, line)")
    assert names(pair)[0] == "epoll_wait"


def test_numbered_ranges_are_merged(pair):
    for number in range(3):
        pair[1].range(f"batch {number}", 100)
    pair[0].range("batch 7", 40)
    assert {"batch 0", "batch 7"} <= {name.strip(":") for name in names(pair)}
    row, = [row for row in csv.DictReader(io.StringIO(changes(pair, "--merge"))) if "batch" in row["Name"]]
    assert (row["Name"], row["Count Before"], row["Count After"], row["Difference (ns)"]) == (":batch #", "1", "3", "260")
    assert "gemm<float>" in names(pair, "--merge")  # names of kernels keep their numbers


def test_thread_states_and_cpu_time(pair):
    for report, running in zip(pair, (20_000, 50_000)):
        report.database.execute("CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState, threadBlock)")
        for at, comes in ((1000, 1), (1000 + running, 0)):
            report.insert("SCHED_EVENTS", at, 0, comes, THREAD, None, None)
    figures = {row["Figure"]: row for row in json.loads(diff(pair, "-f", "json"))["summary"]}
    assert (figures["CPU time (ns)"]["Before"], figures["CPU time (ns)"]["After"]) == (20_000, 50_000)
    assert figures["Context switches"]["Before"] == figures["Context switches"]["After"]
    assert "CPU time: 20.00 us → 50.00 us (+150.0 %); context switches: " in diff(pair)


# --- formats and files

def test_json_has_summary_and_changes(pair):
    document = json.loads(diff(pair, "-f", "json"))
    assert list(document) == ["before", "after", "headline", "differences", "names", "summary", "changes"]
    assert (document["before"], document["after"]) == tuple(str(report.path) for report in pair)
    assert document["summary"][1] == {"Figure": "GPU busy (ns)", "Before": 21250, "After": 28059,
                                      "Difference": 6809, "Ratio": 1.32}
    assert document["changes"][0] == {
        "Category": "kernel", "Count Before": 0, "Count After": 3, "Time Before (ns)": 0, "Time After (ns)": 9000,
        "Difference (ns)": 9000, "Ratio": None, "Status": "added", "Name": "fused<half>"}
    assert [row["Name"] for row in document["changes"]] == names(pair)


def test_text_output_says_what_is_left_out(pair):
    text = diff(pair, "--rows", "5")
    assert f"Before: {pair[0].path}\nAfter: {pair[1].path}\n" in text
    assert "\nNames that changed by at least 1 %: 11; by less: 2. The first 5 are shown.\n" in text
    assert "The first" not in diff(pair)


@pytest.mark.parametrize("form", ["column", "table", "tsv", "markdown", "htable", "hdoc"])
def test_other_formats(pair, form):
    text = diff(pair, "-f", form)
    assert "GPU busy (ns)" in text and "train:step" in text


def test_files(tmp_path, pair):
    done = prof("diff", "-f", "csv", "-o", ".", *(report.path for report in pair))
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "after_diff_changes.csv").read_text() == EXPECTED + "\n"
    assert (tmp_path / "after_diff_summary.csv").exists()
    diff(pair, "-q", "-f", "json", "-o", tmp_path / "x")
    assert json.loads((tmp_path / "x_diff.json").read_text())["changes"]
    again = prof("diff", "-f", "json", "-o", tmp_path / "x", *(report.path for report in pair))
    assert again.returncode == 1 and "--force-overwrite" in again.stderr


# --- continuous integration

@pytest.mark.parametrize("limit, watch, slower", [
    ("19.9", "duration", True), ("20", "duration", False),
    ("32", "gpu-busy", True), ("33", "gpu-busy", False),
    ("0", "kernel:gemm<float>", False), ("0", "kernel", True),
    ("49", "nvtx:train:step", True), ("50", "nvtx:train:step", False),
    ("1000", "kernel:fused<half>", True), ("0", "kernel:gone<int>", False)])
def test_exit_status_tells_what_got_slower(pair, limit, watch, slower):
    done = prof("diff", "--fail-on-slower", limit, "--watch", watch, *(report.path for report in pair))
    assert done.returncode == (3 if slower else 0)
    assert done.stdout == diff(pair)
    assert (f"slower by more than {limit} %: {watch}: " in done.stderr) == slower


def test_duration_and_busy_time_are_watched(pair):
    def reported(*options):
        done = prof("diff", *options, *(report.path for report in pair))
        return done.returncode, [line.split(": ")[2] for line in done.stderr.splitlines()]
    assert reported("--fail-on-slower", "10") == (3, ["duration", "gpu-busy"])
    assert reported("--fail-on-slower=25") == (3, ["gpu-busy"])
    assert reported("--fail-on-slower=40") == (0, [])
    assert reported("--fail-on-slower", "10", "--watch", "osrt:read", "--watch", "osrt:poll") == (3, ["osrt:poll"])


def test_watched_times_are_test_cases(pair, tmp_path):
    document = tmp_path / "times.xml"
    done = prof("diff", "--fail-on-slower=25", "--junit", document, "--annotate=github", *(report.path for report in pair))
    assert done.returncode == 3
    suite, = ElementTree.parse(document).getroot()
    assert suite.get("name") == str(pair[1].path)
    assert {case.get("name"): [each.tag for each in case] for case in suite} == {
        "duration": ["system-out"], "gpu-busy": ["failure"]}
    assert [line.split("::")[1] for line in done.stderr.splitlines() if line.startswith("::")] == [
        "notice title=prof diff%3A duration", "error title=prof diff%3A gpu-busy"]
    fails(pair, 2, "--annotate need --fail-on-slower", "--junit", document)


def test_what_cannot_be_watched(pair):
    fails(pair, 1, "cannot watch kernel:gem: it is in neither report", "--fail-on-slower=1", "--watch=kernel:gem")
    for report in pair:
        report.drop("ANALYSIS_DETAILS", *(f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET")))
    fails(pair, 1, "cannot watch the duration", "--fail-on-slower=1")


# --- what is missing, and what is wrong

def fails(pair, status, words, *options):
    done = prof("diff", *options, *(report.path for report in pair))
    assert done.returncode == status and words in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_wrong_usage(pair):
    for options, words in ((["--category", "kernels"], "unknown category kernels; did you mean kernel?"),
                           (["-f", "xml"], "unknown format xml"), (["--rows", "-1"], "--rows needs"),
                           (["--min-change=-1"], "--min-change needs"), (["--min-change=nan"], "--min-change needs"),
                           (["--fail-on-slower=-5"], "--fail-on-slower needs"), (["--fail-on-slower=much"], "much"),
                           (["--watch", "duration"], "--watch needs --fail-on-slower"),
                           (["--fail-on-slower=1", "--watch", "speed"], "cannot watch speed"),
                           (["--fail-on-slower=1", "--category=osrt", "--watch=kernel"], "cannot watch kernel")):
        fails(pair, 2, words, *options)
    fails(pair[:1], 2, "needs two reports")
    fails([], 2, "needs two reports")
    assert prof("diff", *[report.path for report in pair], pair[0].path).returncode == 2


def test_tables_that_only_one_report_has(pair):
    pair[1].drop("OSRT_API", "CUPTI_ACTIVITY_KIND_MEMSET")
    paths = [report.path for report in pair]
    done = prof("diff", "-f", "csv", *paths)
    assert done.returncode == 0 and "osrt,1,0,33,0,-33,0.000,removed,read\n" in done.stdout
    assert done.stderr.splitlines() == [f"prof: {paths[1]} has no {events}, but {paths[0]} has"
                                        for events in ("fills", "OS-runtime calls")]
    assert prof("diff", "-q", *paths).stderr == ""
    assert prof("diff", "--category", "kernel", *paths).stderr == ""


def test_reports_without_gpu_work(pair):
    for report in pair:
        report.drop(*(f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET", "RUNTIME")))
    assert diff(pair, "-f", "csv").startswith("""\
Figure,Before,After,Difference,Ratio
Session (ns),100000,120000,20000,1.200
GPU busy (ns),0,0,0,
GPU busy (%),,,,
Kernels,0,0,0,
""")


def test_nothing_to_compare(pair):
    pair[1].drop("OSRT_API")
    fails(pair, 1, f"{pair[1].path} has nothing to compare: it has none of the tables OSRT_API", "--category=osrt")
