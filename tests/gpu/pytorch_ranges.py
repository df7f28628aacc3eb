"""--pytorch and -t python-gil with the installed PyTorch: the program's output is unchanged, and its ranges
match its steps."""
import sys
from collections import Counter

from suite import SOURCES, Report, check, last_json, run, show, under_prof

RANGES = """SELECT coalesce(e.text, s.value), count(*) FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
            JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId AND d.globalTid >> 24 = e.globalTid >> 24
            WHERE e.eventType = 59 AND e.end IS NOT NULL AND d.text = '{}' GROUP BY 1"""
STEPS = 5


def ranges(report, domain):
    return dict(report.rows(RANGES.format(domain))) if "NVTX_EVENTS" in report.tables else {}


def operations(report):
    """Ranges of the default domain, which has those of PyTorch itself."""
    return dict(report.rows("""SELECT coalesce(e.text, s.value), count(*) FROM NVTX_EVENTS e LEFT JOIN StringIds s
        ON s.id = e.textId WHERE e.eventType = 59 AND coalesce(e.domainId, 0) = 0 GROUP BY 1"""))


def calls_by_operator(names):
    counts = Counter()
    for name, count in names.items():
        if name and name.startswith("aten::"):
            counts[name.split(",")[0]] += count
    return counts


def traced(name, plain, command, *options, trace="cuda,nvtx"):
    (status, out, err, _), path = under_prof(command, name, *options, trace=trace)
    same = last_json(out).get("loss") == plain.get("loss")
    check(f"{name}: status and losses", status == 0 and same, status, 0 if status == 0 and same else err[-500:])
    report = Report(path)
    reported = [text for text in report.messages() if "not annotated" in text or "not shown" in text]
    check(f"{name}: no messages", not reported, reported, [])
    return report


def pytorch():
    command = [sys.executable, SOURCES / "resnet18.py", "--steps", str(STEPS), "--warmup", "2"]
    _, out, _, _ = run(command)
    plain = last_json(out)
    seen = ranges(traced("functions-trace", plain, command, "--pytorch=functions-trace"), "PyTorch")
    show("functions-trace: ranges", seen)
    check("functions-trace: forward passes as steps", seen.get("ResNet18.forward") == seen.get("torch.Tensor.backward"),
          seen.get("ResNet18.forward"), seen.get("torch.Tensor.backward"))
    check("functions-trace: forward passes, at least", seen.get("ResNet18.forward", 0) >= STEPS + 2,
          seen.get("ResNet18.forward"), STEPS + 2)
    check("functions-trace: optimizer's steps",
          any(name.endswith(".step") and "Scaler" not in name and count >= STEPS for name, count in seen.items()), seen)
    compiled = ranges(traced("functions-trace-compiled", last_json(run([*command, "--compile"])[1]), [*command, "--compile"],
                             "--pytorch=functions-trace"), "PyTorch")
    check("functions-trace: backward passes under torch.compile", compiled.get("torch.Tensor.backward", 0) >= STEPS, compiled)
    for option, shapes in (("autograd-nvtx", False), ("autograd-shapes-nvtx", True)):
        names = operations(traced(option, plain, command, f"--pytorch={option}"))
        ours = [name for name in names if name and name.startswith("aten::")]
        check(f"{option}: operations", len(ours) > 5, f"{len(names)} names, {sum(names.values())} ranges: {ours[:3]}")
        check(f"{option}: shapes", any("sizes" in name for name in ours) == shapes, shapes)
        counts = calls_by_operator(names)
    observed = ranges(traced("operators", plain, command, "--pytorch=operators"), "PyTorch operators")
    check("operators: those of autograd-shapes-nvtx, as often", calls_by_operator(observed) == counts,
          calls_by_operator(observed), counts)
    check("operators: one name for equal calls", len(observed) < len(names) / STEPS, len(observed), len(names))
    both = traced("with-profiler", plain, [*command, "--profiler"], "--pytorch=functions-trace")
    check("functions-trace: together with torch.profiler", ranges(both, "PyTorch").get("ResNet18.forward", 0) > 0, "")
    lock = ranges(traced("python-gil", plain, command, trace="python-gil"), "Python GIL")
    check("python-gil: held", lock.get("Holding GIL", 0) > 100, lock)
