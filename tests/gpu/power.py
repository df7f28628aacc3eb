"""Power, clocks, temperature and use of a GPU under load, beside nvidia-smi dmon in the same seconds."""
import statistics
import subprocess
import sys

from suite import CALLS_ALONE, SOURCES, Report, check, last_json, show, under_prof

SECONDS = 12
# Field of dmon: counter of prof, factor, largest difference
COMPARED = {"pwr": ("Power", 1, 0.05), "sm": ("GPU Utilization", 1, 0.05), "mclk": ("Memory Clock", 1, 0.02),
            "pclk": ("SM Clock", 1, 0.03), "gtemp": ("Temperature", 1, 0.1)}


def samples(report, group):
    """By counter: times of CLOCK_REALTIME in seconds, and values."""
    utc, = report.rows("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")[0]
    found = {}
    for name, at, value in report.rows(
            "SELECT f.value, timestamp, COALESCE(intVal, uintVal, floatVal, doubleVal) FROM GENERIC_EVENT_DATA "
            "JOIN GENERIC_EVENTS USING (genericEventId) JOIN GENERIC_EVENT_TYPES USING (typeId) "
            "JOIN GENERIC_EVENT_TYPE_FIELDS USING (typeId, fieldIdx) JOIN StringIds f ON f.id = fieldNameId "
            f"JOIN StringIds g ON g.id = nameId WHERE g.value = '{group}' ORDER BY timestamp"):
        found.setdefault(name, []).append(((utc + at) / 1e9, value))
    return found


def of_dmon(text):
    """By field: the values of the seconds under load, which are those of the highest power."""
    names, rows = [], []
    for line in text.splitlines():
        if line.startswith("#"):
            names = names or line[1:].split()
        else:
            rows.append(line.split())
    power = names.index("pwr")
    loaded = sorted(rows, key=lambda row: float(row[power]))[-(SECONDS - 4):]
    return {name: [float(row[i]) for row in loaded if row[i] not in ("-", "N/A")] for i, name in enumerate(names)
            if name in COMPARED}


def power():
    with subprocess.Popen(["nvidia-smi", "dmon", "-s", "puc", "-i", "0"], stdout=subprocess.PIPE, text=True) as dmon:
        (status, out, err, _), path = under_prof(
            [sys.executable, SOURCES / "steady_load.py", SECONDS], "power", *CALLS_ALONE, "--enable=nvml_metrics",
            trace="cuda,nvtx")
        dmon.terminate()
        theirs = of_dmon(dmon.stdout.read())
    check("power: program", status == 0, status, err[-300:] if status else 0)
    load = last_json(out)
    report = Report(path)
    ours = samples(report, "NVML GPU 0")
    show("power: counters", sorted(ours))
    for field, (name, factor, most) in COMPARED.items():
        inside = [value * factor for at, value in ours.get(name, []) if load["begin"] + 3 <= at <= load["end"] - 1]
        seconds = theirs.get(field)
        if not inside or not seconds:
            check(f"power: {name}", False, f"{len(inside)} samples, {len(seconds)} lines of dmon")
            continue
        mean, other = statistics.mean(inside), statistics.mean(seconds)
        check(f"power: {name} beside dmon", abs(mean - other) <= most * other, f"{mean:.1f}, dmon {other:.1f}",
              f"within {most:.0%}")
    energy = samples(report, "NVML GPU 0 meters").get("Energy", [])
    before = max((each for each in energy if each[0] <= load["begin"]), default=energy[0])
    after = min((each for each in energy if each[0] >= load["end"]), default=energy[-1])
    show("power: meter between the samples around the load, its program's own, J",
         [(after[1] - before[1]) / 1000, load["joules"]])
