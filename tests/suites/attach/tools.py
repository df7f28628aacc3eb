"""What other tools do to the same servers: how long the server stands still, and what it answers meanwhile."""
import os
import shutil
import statistics
import subprocess
import time

import servers

LIMIT = 120


def commands(prof, folder, server, python):
    """{name: command}, without the tools that are not here."""
    pid, home = str(server.pid), folder / "tools"
    prof_attach = [str(prof), "attach", pid, "-f", "true", "-o", str(home / "r.db")]
    found = {
        "prof attach -d 2": [*prof_attach, "-d", "2"],
        "prof attach -d 2 -t osrt, no samples": [*prof_attach, "-d", "2", "-t", "osrt", "--sample=none",
                                                 "--cpuctxsw=none"],
        "prof stack": [str(prof), "stack", pid],
        "gdb: attach, detach": ["gdb", "-p", pid, "-batch", "-nx"],
        "gdb: all stacks": ["gdb", "-p", pid, "-batch", "-nx", "-ex", "thread apply all bt"],
        "perf record, 2 s": ["perf", "record", "-q", "-F", "999", "-o", str(home / "perf"), "-p", pid, "sleep", "2"],
        "perf record -g, 2 s": ["perf", "record", "-q", "-F", "999", "-g", "-o", str(home / "perf"), "-p", pid, "sleep",
                                "2"],
        "strace -f -c, 2 s": ["timeout", "-s", "INT", "2", "strace", "-f", "-c", "-o", os.devnull, "-p", pid],
        "uftrace --pid, 2 s": ["timeout", "-s", "INT", "2", "uftrace", "record", "-d", str(home / "uftrace"), "--pid",
                               pid],
    }
    if python is not None:
        found.update({
            "prof attach -d 2 --python-sampling": [*prof_attach, "-d", "2", "--python-sampling=true"],
            "py-spy dump": [str(python / "py-spy"), "dump", "--pid", pid],
            "py-spy dump --native": [str(python / "py-spy"), "dump", "--native", "--pid", pid],
            "py-spy record, 2 s": [str(python / "py-spy"), "record", "-d", "2", "-o", str(home / "spy.svg"), "--pid",
                                   pid],
            "py-spy record --nonblocking, 2 s": [str(python / "py-spy"), "record", "--nonblocking", "-d", "2", "-o",
                                                 str(home / "spy.svg"), "--pid", pid],
            "memray attach, 2 s": [str(python / "memray"), "attach", "-f", "-o", str(home / "memray"), "--duration", "2",
                                   pid],
        })
    return {name: command for name, command in found.items() if shutil.which(command[0])}


def measure(server, command):
    """(seconds, requests a second, longest answer in ms, what it says if it fails)"""
    server.client.since()
    begin = time.monotonic()
    if command is None:
        time.sleep(2)
        failure = ""
    else:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=LIMIT)
        interrupted = command[0] == "timeout" and done.returncode == 124
        failure = "" if done.returncode == 0 or interrupted else done.stdout.decode(errors="replace").strip()
    seconds = time.monotonic() - begin
    if command is not None and command[1] == "attach":
        time.sleep(2)  # memray records while its command has ended
    window = time.monotonic() - begin
    requests, _, _, longest = server.client.since()
    return seconds, requests / window, longest, failure


def compare_on(server, prof, folder, python, times):
    server.start(folder)
    (folder / "tools").mkdir(exist_ok=True)
    time.sleep(3)
    every = {"nothing, 2 s": None, **commands(prof, folder, server, python)}
    figures = {name: [] for name in every}
    failures = {}
    for _ in range(times):
        for name, command in every.items():
            shutil.rmtree(folder / "tools" / "uftrace", ignore_errors=True)
            if name in failures:
                continue
            *figure, failure = measure(server, command)
            if failure:
                failures[name] = failure
            else:
                figures[name].append(figure)
            if server.process.poll() is not None:
                print(f"{server.name} has ended after {name}: status {server.process.returncode}")
                return [], 1
    alone = statistics.median(rate for _, rate, _ in figures["nothing, 2 s"])
    rows = [[f"{server.name}: tool", "runs", "s each", "longest answer, ms", "requests/s", "of alone"]]
    for name, runs in figures.items():
        if name in failures:
            rows.append([name, 0, "-", failures[name].splitlines()[-1][:60], "-", "-"])
            continue
        rate = statistics.median(rate for _, rate, _ in runs)
        longest = [each for *_, each in runs]
        rows.append([name, len(runs), f"{statistics.median(s for s, *_ in runs):.1f}",
                     f"{statistics.median(longest):.1f} / {max(longest):.1f}", f"{rate:.0f}", f"{rate / alone:.2f}"])
    # memray writes to the server's standard error.
    problems = [each for each in server.problems_at_end() if "Memray" not in each]
    for problem in problems:
        print(f"{server.name}: at the end: {problem}")
    return rows, bool(problems)


def compare(prof, folder, python, times):
    """Returns the tables, and whether a server had a problem."""
    tables, wrong = [], False
    own = servers.python_server("CPython-tools", python, ["py-spy", "memray"])
    for server in [servers.cpp_server(), own]:
        try:
            is_python = server is own
            rows, bad = compare_on(server, prof, folder,
                                   folder / "venv-CPython-tools" / "bin" if is_python else None, times)
            tables.append(rows)
            wrong |= bad
        except servers.Unavailable as reason:
            print(f"{server.name}: not tested: {reason}")
        finally:
            server.kill()
    return tables, wrong
