"""GPU metrics against nsys's, against what a program knows, and against the times of kernels; their rates and price."""
import csv
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

from suite import NCU, NSYS, PROF, PROGRAMS, SOURCES, WORK, Report, check, last_json, run, show, under_nsys, under_prof

NOTHING_ELSE = ["--sample=none", "--cpuctxsw=none", "--python-sampling=false"]
SECONDS = 60
EDGE = 3_000_000  # ns at each end of a phase that are left out

# What the program knows: metric, lowest and highest value.
KNOWN = {"idle": ("SMs Active [Throughput %]", 0, 1), "all_sms": ("SMs Active [Throughput %]", 95, 100),
         "half_of_sms": ("SMs Active [Throughput %]", 45, 52), "quarter_of_time": ("SMs Active [Throughput %]", 20, 30),
         "to_gpu": ("PCIe RX Throughput [Throughput %]", 60, 100),
         "from_gpu": ("PCIe TX Throughput [Throughput %]", 60, 100),
         "reads": ("DRAM Read Bandwidth [Throughput %]", 80, 100),
         "writes": ("DRAM Write Bandwidth [Throughput %]", 75, 100),
         "tensor_cores": ("Tensor Active [Throughput %]", 60, 100)}


def averages(report):
    """By phase and metric."""
    found = {}
    for name, start, end in report.rows(
            "SELECT COALESCE(text, (SELECT value FROM StringIds WHERE id = textId)), start, end FROM NVTX_EVENTS "
            "WHERE eventType = 59"):
        found[name] = dict(report.rows(
            "SELECT metricName, avg(value) FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) "
            f"WHERE timestamp BETWEEN {start + EDGE} AND {end - EDGE} GROUP BY 1"))
    return found


def times(report):
    return [row[0] for row in report.rows("SELECT DISTINCT timestamp FROM GPU_METRICS ORDER BY 1")]


def spacing(title, report, interval):
    """Samples that are missing have to be named in the report."""
    at = times(report)
    gaps = [after - before for before, after in zip(at, at[1:])]
    lost = sum(round(gap / interval) - 1 for gap in gaps)
    named = any("were lost" in text for text in report.messages())
    check(f"{title}: samples lost without a word", lost == 0 or named, f"{lost} of {len(at) + lost}, named: {named}", 0)
    show(f"{title}: spacing, ns", [min(gaps), statistics.median(gaps), max(gaps)])
    show(f"{title}: report, MB", round(os.path.getsize(report.path) / 1e6, 1))


def known_duty():
    command = [PROGRAMS / "known_duty", "0.4"]
    (status, out, _, _), path = under_prof(command, "duty", *NOTHING_ELSE, "--gpu-metrics-devices=all",
                                           trace="cuda,nvtx")
    check("duty: program", status == 0, status, 0)
    ours = averages(Report(path))
    for phase, (metric, low, high) in KNOWN.items():
        check(f"duty: {phase}, {metric}", low <= ours[phase][metric] <= high, round(ours[phase][metric], 1),
              f"{low} to {high}")
    show("duty: bytes/s", last_json(out))
    spacing("duty", Report(path), 100_000)
    if not NSYS:
        return
    _, theirs_path = under_nsys(command, "duty", "--gpu-metrics-devices=all", trace="cuda,nvtx")
    theirs = averages(Report(theirs_path))
    for metric in ours["idle"]:
        if metric.endswith("%]"):
            worst = max((abs(ours[phase][metric] - theirs[phase][metric]), phase) for phase in KNOWN)
            check(f"duty: {metric} against nsys", worst[0] <= 3, f"{worst[0]:.2f} points in {worst[1]}", "<= 3")


def kernel_times():
    """How far samples have to be moved so that they agree best with the kernels of the same report."""
    _, path = under_prof([PROGRAMS / "known_duty", "0.4"], "kernels", *NOTHING_ELSE, "--gpu-metrics-devices=0",
                         trace="cuda,nvtx")
    report = Report(path)
    begin, end = report.rows("SELECT start, end FROM NVTX_EVENTS WHERE text = 'quarter_of_time'")[0]
    kernels = report.rows(f"SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start BETWEEN {begin} AND {end}")
    samples = report.rows("SELECT timestamp, value FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, "
                          f"metricId) WHERE metricName LIKE 'SMs%' AND timestamp BETWEEN {begin + EDGE} AND {end - EDGE}")

    def error(shift):
        total = 0
        for at, value in samples:
            at += shift
            busy = sum(max(0, min(at + 100_000, stop) - max(at, start)) for start, stop in kernels)
            total += abs(busy / 1000 - value)
        return total / len(samples)

    best = min(range(-5000, 5001, 200), key=error)
    check("times of samples against kernels, ns", abs(best) <= 1000, f"{best}, error {error(best):.2f} %", "<= 1000")


def tensor_percent_of_ncu():
    """Of the kernel of matrix_bursts.py."""
    metric = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
    _, out, _, _ = run([NCU, "--csv", "--clock-control", "none", "--metrics", metric, "-k", "regex:nvjet|gemm", "-s", "1", "-c",
                        "4", sys.executable, SOURCES / "matrix_bursts.py", "0.1"])
    values = [float(row[-1].replace(",", "")) for row in csv.reader(out.splitlines()) if metric in row]
    return statistics.median(values) if values else None


def losses():
    """Samples that are lost, because the sampling process stands still, change no average of a kernel."""
    truth = tensor_percent_of_ncu()
    show("losses: tensor cores active in ncu, %", truth)
    for frequency, pauses in ((10_000, ()), (20_000, ()), (20_000, (0.2, 0.5, 1.5, 1.5)), (50_000, (0.1, 0.4, 1.0, 1.0))):
        title = f"losses: {frequency} Hz, {len(pauses)} pauses"
        begun = WORK / "begun"
        begun.unlink(missing_ok=True)
        command = [PROF, "profile", "-t", "cuda", "-f", "true", "-o", WORK / "losses.db", *NOTHING_ELSE,
                   "--gpu-metrics-devices=0", f"--gpu-metrics-frequency={frequency}", sys.executable,
                   SOURCES / "matrix_bursts.py", "6", begun]
        with subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True) as prof:
            while not begun.exists():
                time.sleep(0.05)
            sampler = int(subprocess.check_output(["pgrep", "-x", "prof-gpu"]).split()[-1])
            for pause in pauses:
                os.kill(sampler, signal.SIGSTOP)
                time.sleep(pause)
                os.kill(sampler, signal.SIGCONT)
                time.sleep(0.3)
            said = prof.communicate()[1]
        check(f"{title}: go on to the end", "end early" not in said, said.strip()[-200:])
        if pauses:
            show(title, re.findall(r"\d+ of \d+ samples.* gaps?", said))
        _, out, _, _ = run([PROF, "stats", "-q", "-f", "csv", "-r", "gpu_metric_util_sum:kernel", WORK / "losses.db"])
        row, = (each for each in csv.DictReader(out.strip().splitlines()) if re.search("nvjet|gemm", each["Name"]))
        percent = float(row["Tensor Active (%)"])
        check(f"{title}: tensor cores active in the kernel, %", truth is not None and abs(percent - truth) <= 3,
              f"{percent} ({row['Samples']} samples)", f"{truth} within 3")


def rates():
    for frequency, name in ((10_000, "gh100"), (50_000, "gh100-activity"), (50_000, "gh100")):
        title = f"{name} at {frequency} Hz for {SECONDS} s"
        measure = (f"sleep {SECONDS}; for p in $PPID $(pgrep -x prof-gpu); do awk '{{print $2, ($14 + $15) / {SECONDS} "
                   '"% of a core"}\' '
                   "/proc/$p/stat; grep VmHWM /proc/$p/status; done")
        (_, out, err, _), path = under_prof(
            ["bash", "-c", measure], "rate", *NOTHING_ELSE, "--gpu-metrics-devices=0",
            f"--gpu-metrics-frequency={frequency}", f"--gpu-metrics-set={name}", trace="none")
        show(f"{title}: prof and its sampling process", " ".join(out.split()))
        check(f"{title}: goes on to the end", "end early" not in err, err.strip()[-200:])
        spacing(title, Report(path), 1_000_000_000 // frequency)


def training_step(title, size, is_bound):
    """Steps of one training, which another prof's metrics are switched on and off beside: in turn, one second each. With
    large batches the GPU is the bottleneck; with small ones the CPU is, whose time varies by a tenth and more."""
    seconds, turns = 1.0, 12
    training = [sys.executable, SOURCES / "resnet18.py", "--steps", "100000", "--warmup", "20", "--print-steps", *size]
    sampling = [PROF, "profile", "-t", "none", *NOTHING_ELSE, "-f", "true", "-o", WORK / "step.db",
                "--gpu-metrics-devices=all", "sleep", str(2 * seconds)]
    steps, windows = [], []

    def read(line):
        steps.append(tuple(map(float, line.split())))

    with subprocess.Popen([str(word) for word in training], stdout=subprocess.PIPE, text=True) as program:
        read(program.stdout.readline())
        reader = threading.Thread(target=lambda: [read(line) for line in program.stdout])
        reader.start()
        for _ in range(turns):
            begin = time.perf_counter()
            time.sleep(seconds)
            windows.append(("without", begin, begin + seconds))
            with subprocess.Popen([str(word) for word in sampling], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL):
                time.sleep(1.5 * seconds)  # it has begun
                windows.append(("with", time.perf_counter() - 0.8 * seconds, time.perf_counter()))
            time.sleep(0.2)  # it has ended
        program.kill()
        reader.join()
    medians = {"with": [], "without": []}
    for kind, begin, end in windows:
        medians[kind].append(statistics.median(step for time_of_end, step in steps if begin <= time_of_end < end))
    ratios = [one / other for one, other in zip(medians["with"], medians["without"])]
    show(f"ResNet-18 step, {title}: without metrics, ms", [round(step, 3) for step in medians["without"]])
    seen = f"median {statistics.median(ratios):.3f} of {sorted(round(ratio, 3) for ratio in ratios)}"
    if is_bound:
        check(f"ResNet-18 step, {title}, with metrics: x without", statistics.median(ratios) <= 1.02, seen, "<= 1.02")
    else:
        show(f"ResNet-18 step, {title}, with metrics: x without", seen)


def ends():
    """The sampling process is killed, and another tool has the counters."""
    (status, _, err, _), path = under_prof(
        ["bash", "-c", "sleep 1; kill -9 $(pgrep -x prof-gpu); sleep 1"], "killed", *NOTHING_ELSE,
        "--gpu-metrics-devices=0", trace="none")
    check("killed: the report has samples and says so", status == 0 and times(Report(path)) and "was killed" in err,
          err.strip()[-200:])
    with subprocess.Popen([PROF, "profile", "-t", "none", *NOTHING_ELSE, "-f", "true", "-o", WORK / "first.db",
                           "--gpu-metrics-devices=0", "sleep", "4"]):
        time.sleep(2)
        (_, _, err, _), _ = under_prof(["sleep", "0.1"], "second", *NOTHING_ELSE, "--gpu-metrics-devices=0",
                                       trace="none")
    check("second user: is named", "another tool uses the counters" in err, err.strip()[-200:])


def metrics():
    known_duty()
    kernel_times()
    losses()
    rates()
    training_step("batches of 256", ["--batch", "256", "--image", "128"], True)
    training_step("batches of 16", [], False)
    ends()
