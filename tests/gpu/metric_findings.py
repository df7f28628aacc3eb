"""Findings by GPU metrics and by NVML's counters: programs that have the problem and programs that do not."""
import json
import subprocess
import sys
import time

from suite import CALLS_ALONE, PROF, PROGRAMS, SOURCES, check, run, under_prof

RULES = {"memory_bound_kernels", "idle_tensor_cores", "idle_multiprocessors", "low_occupancy", "full_pcie", "full_nvlink",
         "shared_gpu", "gpu_throttled"}
# What is found in a phase of known_duty, and in a range of matrix_products.py.
PHASES = {"all_sms": set(), "half_of_sms": {"idle_multiprocessors"}, "quarter_of_time": {"low_occupancy"},
          "to_gpu": {"full_pcie"}, "from_gpu": {"full_pcie"}, "reads": {"memory_bound_kernels"},
          "writes": {"memory_bound_kernels"}}
PRODUCTS = {"square": set(), "thin": {"memory_bound_kernels", "idle_tensor_cores"}}
METRICS = [*CALLS_ALONE, "--gpu-metrics-devices=0"]


def found(report, *options):
    findings = json.loads(run([PROF, "analyze", "-q", "-r", "findings", "-f", "json", *options, report])[1])["findings"]
    return {each["rule"] for each in findings} & RULES


def compare(title, report, expected):
    for name, rules in expected.items():
        seen = found(report, "--filter-nvtx", name)
        check(f"findings: {title}, {name}", seen == rules, sorted(seen), sorted(rules))


def metric_findings():
    compare("known duty", under_prof([PROGRAMS / "known_duty", "0.4"], "found_duty", *METRICS, trace="cuda,nvtx")[1], PHASES)
    compare("matrix products", under_prof([sys.executable, SOURCES / "matrix_products.py"], "found_products", *METRICS,
                                          trace="cuda,nvtx")[1], PRODUCTS)

    idle = [sys.executable, "-c", "import torch, time; torch.ones(9, device='cuda').sum().item(); time.sleep(3); "
            "torch.ones(9, device='cuda').sum().item()"]
    alone = found(under_prof(idle, "found_alone", *METRICS, trace="cuda")[1])
    with subprocess.Popen([str(PROGRAMS / "known_duty"), "4"], stdout=subprocess.DEVNULL) as other:
        time.sleep(5.5)  # it is idle for 4 s
        beside = found(under_prof(idle, "found_beside", *METRICS, trace="cuda")[1])
        other.kill()
    check("findings: another process on the GPU", "shared_gpu" in beside and "shared_gpu" not in alone, sorted(beside),
          "shared_gpu")

    loads = set()
    for program in ("slow_training.py", "resident_training.py"):
        report = under_prof([sys.executable, SOURCES / program], f"found_{program[:4]}", trace="cuda,nvtx,osrt")[1]
        said = json.loads(run([PROF, "analyze", "-q", "-r", "findings", "-f", "json", report])[1])["findings"]
        loads |= {program for each in said if each["rule"] == "data_loading"}
    check("findings: a program that loads data, one that loads nothing", loads == {"slow_training.py"}, sorted(loads),
          "slow_training.py")

    hot = under_prof([sys.executable, SOURCES / "steady_load.py", "8"], "found_hot", *CALLS_ALONE, "--enable=nvml_metrics",
                     trace="cuda,nvtx")[1]
    cool = under_prof([PROGRAMS / "launch_loop"], "found_cool", *CALLS_ALONE, "--enable=nvml_metrics", trace="cuda")[1]
    check("findings: a GPU at its power limit", "gpu_throttled" in found(hot), sorted(found(hot)), "gpu_throttled")
    check("findings: a GPU with light work", "gpu_throttled" not in found(cool), sorted(found(cool)), "not gpu_throttled")
