"""Sessions on demand: what a dormant program pays, and collections that start and stop while it runs."""
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from price import interleaved
from suite import CALLS_ALONE, PROF, PROGRAMS, SOURCES, WORK, Report, check, last_json, run, show, under_prof

COLLECTIONS = 100
RECORDED, DORMANT = 300, 200  # kernels in each collection and between two


def prof(*arguments, **options):
    return subprocess.run([PROF, *map(str, arguments)], capture_output=True, text=True, check=True, cwd=WORK, **options)


def launched(session, command):
    return [PROF, "launch", "--session-new", session, *command]


def held(pid):
    """Threads, descriptors and mappings of a process, and its resident memory in KB."""
    folder = Path(f"/proc/{pid}")
    return (len(list((folder / "task").iterdir())), len(list((folder / "fd").iterdir())),
            (folder / "maps").read_text().count("\n"),
            int(re.search(r"VmRSS:\s+(\d+)", (folder / "status").read_text())[1]))


def ask(program, launches):
    program.stdin.write(f"{launches}\n")
    program.stdin.flush()
    assert program.stdout.readline() == f"done {launches}\n"


def collections():
    """Each report has the kernels and the range between its start and its stop, and no other."""
    with subprocess.Popen(launched("requests", [PROGRAMS / "launches_on_request"]), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, cwd=WORK) as program:
        assert program.stdout.readline() == "ready\n"
        pid = int(subprocess.run(["pgrep", "-x", "launches_on_req"], capture_output=True, text=True,
                                 check=True).stdout.split()[-1])
        wrong, starts, stops, before = [], [], [], None
        for i in range(COLLECTIONS):
            ask(program, DORMANT)
            begin = time.monotonic()
            prof("start", "--session", "requests", "-f", "true", "-o", WORK / "request.db", *CALLS_ALONE[:2])
            started = time.monotonic()
            ask(program, RECORDED)
            asked = time.monotonic()
            prof("stop", "--session", "requests")
            starts.append(started - begin)
            stops.append(time.monotonic() - asked)
            report = Report(WORK / "request.db")
            kernels, = report.rows("SELECT count(*), count(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL")
            ranges, = report.rows("SELECT count(*), count(end) FROM NVTX_EVENTS WHERE eventType = 59")
            if (kernels, ranges) != ((RECORDED, RECORDED), (1, 1)):
                wrong.append((i, kernels, ranges, report.messages()))
            if i == 9:
                before = held(pid)
        check(f"{COLLECTIONS} collections: {RECORDED} kernels and one range in each", not wrong, wrong[:3], [])
        after = held(pid)
        check("collections: threads, descriptors, mappings of the program after 10 and after all",
              before[:3] == after[:3], after, before)
        check("collections: resident memory, KB", after[3] - before[3] < 2048, after[3], before[3])
        for name, times in (("start", starts), ("stop", stops)):
            show(f"collections: {name}, ms: first 10, last 10, most",
                 [round(1000 * value, 1) for value in
                  (statistics.median(times[:10]), statistics.median(times[-10:]), max(times))])
        program.stdin.close()
        check("collections: status of the program", program.wait(30) == 0, program.returncode, 0)


def dormant():
    """A launched program that nobody records, beside the same program alone."""
    loop = [PROGRAMS / "launch_loop", "--batches", "50", "--pin", "1"]
    runs = interleaved(11, {"untraced": lambda: run(loop), "dormant": lambda: run(launched("loop", loop))},
                       "ns_per_launch")
    added = sorted(round(b - a) for a, b in zip(runs["untraced"], runs["dormant"]))
    show("dormant: ns added to a launch", f"{added}, least {min(runs['untraced'])} and {min(runs['dormant'])}")
    prices = {}
    for what in ("locks", "ranges", "threaded_ranges"):
        each = [PROGRAMS / "dormant_price", what, "100000000", "timed"]
        found = interleaved(7, {"untraced": lambda: run(each),  # pylint: disable=cell-var-from-loop
                                "dormant": lambda: run(launched("price", each))},  # pylint: disable=cell-var-from-loop
                            "ns")
        least = [min(values) for values in found.values()]
        prices[what] = max(least[1] - least[0], 0)
        show(f"dormant: {what}, ns of each: untraced and dormant, least", [round(value, 2) for value in least])
    dormant_step(prices)


def dormant_step(prices):
    """A step of ResNet-18. Its time differs by 10 % from process to process, so what it can cost is counted as well."""
    step = [sys.executable, SOURCES / "resnet18.py", "--steps", "100", "--warmup", "20"]
    runs = interleaved(5, {"untraced": lambda: run(step), "dormant": lambda: run(launched("step", step))},
                       "step_ms")
    quarters = {name: [statistics.quantiles(times, n=4)[0] for times in found] for name, found in runs.items()}
    ratios = [b / a for a, b in zip(quarters["untraced"], quarters["dormant"])]
    show("dormant: ResNet-18 step, shortest quarter, x untraced",
         f"{[round(ratio, 4) for ratio in ratios]}, median {statistics.median(ratios):.4f}")
    prof("profile", "-t", "osrt,nvtx", "--osrt-threshold=0", "-f", "true", "-o", WORK / "step.db", *step)
    report = Report(WORK / "step.db")
    ranges = "NVTX_EVENTS WHERE eventType IN (34, 59, 60)"
    events = [report.rows(f"SELECT count(*) FROM {rows}")[0][0] if rows.split()[0] in report.tables else 0
              for rows in ("OSRT_API", ranges)]
    ns = (events[0] * prices["locks"] + events[1] * prices["threaded_ranges"]) / 120  # all threads, start and end included
    share = ns / 1e6 / min(quarters["untraced"])
    check("dormant: ResNet-18 step, share of what its calls and ranges cost", share <= 0.005,
          f"{share:.6f} (in all {events[0]} calls and {events[1]} ranges)", "<= 0.005")


def training():
    """A PyTorch training of which some seconds are recorded: all kernels of the steps inside are there."""
    program = SOURCES / "counted_steps.py"
    with subprocess.Popen(launched("training", [sys.executable, program]), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, cwd=WORK) as trained:
        assert trained.stdout.readline() == "ready\n"
        counts = []
        for _ in range(5):
            ask(trained, 3)
            prof("start", "--session", "training", "-f", "true", "-o", WORK / "training.db", *CALLS_ALONE[:2])
            ask(trained, 10)
            prof("stop", "--session", "training")
            report = Report(WORK / "training.db")
            counts.append((report.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0][0],
                           report.rows("SELECT count(*) FROM NVTX_EVENTS WHERE text = 'step'")[0][0], report.orphans()))
        out, _ = trained.communicate()
    kernels = last_json(out)["kernels_per_step"]
    check("training: kernels, steps, kernels without a call", set(counts) == {(10 * kernels, 10, 0)}, counts,
          (10 * kernels, 10, 0))


def late_profiler():
    """After three collections the program's own profiler sees what it sees without prof, though threads were busy at each
    end."""
    program = [sys.executable, SOURCES / "profilers" / "late_profiler.py"]
    seen = {}
    for way, command in (("alone", program), ("prof", launched("late", program))):
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=WORK) as trained:
            assert trained.stdout.readline() == "ready\n"
            for _ in range(3 if way == "prof" else 0):
                prof("start", "--session", "late", "-f", "true", "-o", WORK / "late.db", *CALLS_ALONE[:2])
                time.sleep(0.3)
                prof("stop", "--session", "late")
                time.sleep(0.1)
            out, err = trained.communicate()
        seen[way] = (last_json(out).get("seen"), err.count("unknown buffer"))
    check("torch.profiler after three collections", seen["prof"] == seen["alone"], seen["prof"], seen["alone"])


def attached_to(pid, output):
    """prof attach, when it has begun to record."""
    started = subprocess.Popen([PROF, "attach", str(pid), "-f", "true", "-o", output, *CALLS_ALONE[:2]],
                               stderr=subprocess.PIPE, text=True, cwd=WORK)
    said = ""
    for line in started.stderr:
        said += line
        if line.startswith("prof: attached to "):
            return started, line
    raise RuntimeError(said)


def attach(title, command, before, inside, kernels_of):
    """A program that was started without prof: attach and detach ten times."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=WORK) as program:
        assert program.stdout.readline() == "ready\n"
        counts, said, first = [], [], None
        for i in range(10):
            ask(program, before)
            prof_attach, line = attached_to(program.pid, WORK / "attached.db")
            said.append(line.strip())
            ask(program, inside)
            prof_attach.send_signal(signal.SIGINT)
            prof_attach.communicate(timeout=60)
            report = Report(WORK / "attached.db")
            counts.append(tuple(report.rows(f"SELECT count(*) FROM {table}")[0][0] if table in report.tables else 0
                                for table in ("CUPTI_ACTIVITY_KIND_KERNEL",)) + (report.orphans(),))
            if i == 4:
                first = held(program.pid)
        ask(program, before)
        last = held(program.pid)
        out, _ = program.communicate()
    kernels = kernels_of(out)
    check(f"attach, {title}: kernels, kernels without a call", set(counts) == {(kernels, 0)}, counts, (kernels, 0))
    check(f"attach, {title}: status", program.returncode == 0, program.returncode, 0)
    show(f"attach, {title}: threads, descriptors, mappings, KB after 5 and after 10", [first, last])
    show(f"attach, {title}: what it says", said[:2])


def flight_recorder():
    """All of a short program is within the last seconds."""
    (_, out, err, _), path = under_prof([PROGRAMS / "launch_loop", "--batches", "20"], "flight", *CALLS_ALONE,
                                        "--flight-recorder=60s,1GB", trace="cuda")
    kernels = Report(path).rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0][0]
    check("flight recorder: kernels", kernels == 25_000, f"{kernels} {err.strip()[-200:]}", 25_000)


def on_demand():
    os.environ["XDG_RUNTIME_DIR"] = str(WORK)
    for part in (lambda: attach("kernels on request", [PROGRAMS / "launches_on_request"], DORMANT, RECORDED,
                                lambda _: RECORDED),
                 lambda: attach("training", [sys.executable, SOURCES / "counted_steps.py"], 3, 10,
                                lambda out: 10 * last_json(out)["kernels_per_step"]),
                 collections, training, late_profiler, flight_recorder, dormant):
        try:
            part()
        except Exception as error:  # the others are of use
            check("on demand", False, repr(error))
