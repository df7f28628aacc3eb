"""prof kernel with metrics of one pass: values and the program's results in every way to launch and to end, the price
of a launch, and Nsight Compute beside it."""
import csv
import io
import signal
import statistics
import subprocess
import time

from suite import NCU, PROF, PROGRAMS, WORK, Report, check, last_json, run, show

PROGRAM = PROGRAMS / "counted_launches"
COUNTED = ("smsp__inst_executed.sum", "gpu__time_duration.sum", "smsp__inst_issued.sum",
           "sm__warps_active.avg.per_cycle_active")


def profiled(name, *arguments, options=("-k", "add"), selection="--set=quick"):
    path = WORK / f"counted_{name}.db"
    result = run([PROF, "kernel", selection, *options, "-f", "true", "-o", path, "--", PROGRAM, *arguments], timeout=90)
    return result, Report(path)


def values(report, metric):
    """Of the launches of `add` with values, in their order."""
    return [value for value, in report.rows(
        "SELECT m.value FROM PROF_KERNEL_PROFILES p JOIN PROF_KERNEL_METRICS m ON m.profileId = p.id "
        f"JOIN PROF_METRIC_NAMES n USING (metricId) WHERE n.name = '{metric}' AND p.status = 'ok' ORDER BY p.id")]


def by_size(found):
    return [found[i::3] for i in range(3)]


def check_values(name, report, launches):
    instructions = values(report, COUNTED[0])
    same = [len(set(each)) == 1 for each in by_size(instructions)]
    check(f"kernel counters: {name}: launches with values", len(instructions) == launches, len(instructions), launches)
    check(f"kernel counters: {name}: instructions of launches of one size are the same", all(same), same)
    others = report.rows("SELECT status, reason, count(*) FROM PROF_KERNEL_PROFILES WHERE status != 'ok' GROUP BY 1, 2")
    return others


def ends():
    for name, arguments, launches in (
            ("plain", [], 300), ("others", ["--others", 2], 300), ("many others", ["--launches", 12, "--others", 99], 12),
            ("graph", ["--graph", 1, "--launches", 30], 30), ("capture", ["--capture", 1, "--launches", 30], 30),
            ("exit", ["--end", "exit", "--launches", 250], 250), ("reset", ["--end", "reset", "--launches", 30], 30)):
        (status, out, err, _), report = profiled(name, *arguments)
        check(f"kernel counters: {name}: program", status == 0 and last_json(out).get("right") == 1, status, 0)
        refused = check_values(name, report, launches)
        if refused or status:
            show(f"kernel counters: {name}", f"{refused} {err[-300:]}")
    (status, out, err, _), report = profiled("threads", "--threads", 4, "--launches", 60)
    check("kernel counters: threads: program", status == 0 and last_json(out).get("right") == 1, status, 0)
    seen = sorted(set(values(report, COUNTED[0])))
    check("kernel counters: threads", len(values(report, COUNTED[0])) == 240 and len(seen) == 3, seen, "3 values")


def killed():
    path = WORK / "counted_killed.db"
    with subprocess.Popen([PROF, "kernel", "--set=quick", "-f", "true", "-o", path, "--", PROGRAM, "--launches", "30",
                           "--end", "sleep"], stdout=subprocess.PIPE, text=True) as running:
        pid = int(running.stdout.readline().split(":")[1].strip(" ,\n"))
        time.sleep(3)
        subprocess.run(["kill", "-KILL", str(pid)], check=False)
        running.communicate(timeout=60)
    check("kernel counters: killed while idle: status", running.returncode == 128 + signal.SIGKILL, running.returncode)
    check_values("killed while idle", Report(path), 30)


def milliseconds(launches, name=None):
    """Of the program for all its launches."""
    arguments = ("--launches", launches)
    out = profiled(name, *arguments, options=())[0][1] if name else run([PROGRAM, *arguments])[1]
    return last_json(out)["us"] * launches / 1000


def price():
    """A launch and its synchronization, without what the first launch takes: of five pairs of runs."""
    plain = [(milliseconds(1100) - milliseconds(100)) for _ in range(5)]
    counted = [(milliseconds(1100, "price") - milliseconds(100, "price")) for _ in range(5)]
    more = statistics.median(counted) - statistics.median(plain)
    check("kernel counters: quick adds to a launch", more <= 1000, f"{more:.0f} us ({plain} and {counted})", "<= 1000 us")
    report = profiled("price", "--launches", 300)[1]
    show("kernel counters: one launch of three sizes, ns", [statistics.median(each) for each in by_size(
        values(report, "gpu__time_duration.sum"))])


def of_ncu():
    """By metric: values of three launches."""
    status, out, err, seconds = run([NCU, "--csv", "--page", "raw", "--print-units", "base", "-k", "add", "-c", 30,
                                     "--clock-control", "none", "--cache-control", "none", "--metrics",
                                     ",".join(COUNTED), PROGRAM, "--launches", 30], timeout=120)
    show("kernel counters: ncu for 30 launches", f"status {status}, {seconds:.1f} s {err[-200:] if status else ''}")
    lines = [line for line in out.splitlines() if line.startswith('"')]
    table = list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]
    return {name: [float(row[name].replace(",", "")) for row in table] for name in COUNTED}


def beside_ncu():
    theirs = of_ncu()
    (_, _, _, seconds), report = profiled("ncu", "--launches", 30)
    show("kernel counters: prof for 30 launches, s", f"{seconds:.1f}")
    for name in COUNTED:
        pairs = [(statistics.median(a), statistics.median(b)) for a, b in zip(
            by_size(values(report, name)), by_size(theirs[name]))]
        limit = 0.01 if name == COUNTED[0] else 0.03
        check(f"kernel counters: {name} beside ncu", all(abs(a - b) <= limit * b for a, b in pairs), pairs)


def kernel_counters():
    ends()
    killed()
    price()
    beside_ncu()
