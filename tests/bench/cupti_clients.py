#!/usr/bin/env python3
"""Prints how many instructions a training step costs in prof's injection library, without and beside a client of CUPTI
that does what PyTorch's profiler does, by function on the program's threads and on CUPTI's own (wants valgrind), with
prof as CUPTI's only subscriber and as one of several.

    cupti_clients.py [BUILD]
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

STEPS = 20


WAYS = {"one": (), "several": ("--cupti-subscribers=several",)}


def executed(build, folder, way, *arguments):
    """Instructions of libprof_inject.so by thread (1: the program's) and function."""
    fakes = build / "bin" / "fake_cuda"
    out = folder / "callgrind"
    subprocess.run(
        [build / "bin" / "prof", "profile", "-t", "cuda", "-f", "true", "-o", folder / "report.db", "--cupti-path",
         fakes / "libcupti.so.13", *WAYS[way], "--", "valgrind", "--tool=callgrind", "--separate-threads=yes",
         f"--callgrind-out-file={out}", fakes / "fake_cupti_training", *arguments],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "FAKE_CUPTI": "v135"})
    found = Counter()
    for path in folder.glob("callgrind-*"):
        add(found, "program" if path.name.endswith("-01") else "CUPTI's thread", path.read_text())
        path.unlink()
    return found


def add(found, thread, text):
    """Self costs of the library's functions in a profile of one thread."""
    names, objects, current, function, skip = {}, {}, "", "", False

    def name_of(known, number, text):
        if text:
            known[number] = text
        return known.get(number, text)

    for line in text.splitlines():
        if match := re.match(r"(ob|fn)=(\(\d+\)) ?(.*)", line):
            if match[1] == "ob":
                current = name_of(objects, match[2], match[3])
            else:
                function = name_of(names, match[2], match[3])
        elif match := re.match(r"(cob|cfn)=(\(\d+\)) ?(.*)", line):
            name_of(objects if match[1] == "cob" else names, match[2], match[3])
        elif line.startswith("calls="):
            skip = True  # the next line is the cost of the call
        elif re.match(r"[+*\-\d]", line):
            if not skip and "libprof_inject" in current:
                found[thread, re.sub(r"\(.*", "", function).split("::")[-1]] += int(line.split()[1])
            skip = False


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    client = build / "bin" / "fake_cuda" / "fake_client_0.so"
    with tempfile.TemporaryDirectory() as folder:
        for way, (name, more) in itertools.product(WAYS, (("prof alone", ()), ("beside a client", (client,)))):
            few = executed(build, Path(folder), way, str(STEPS), *more)
            many = executed(build, Path(folder), way, str(3 * STEPS), *more)
            step = {key: (many[key] - few[key]) / (2 * STEPS) for key in many}
            for thread in ("program", "CUPTI's thread"):
                mine = sorted(((cost, key[1]) for key, cost in step.items() if key[0] == thread), reverse=True)
                print(f"{way}, {name}, {thread}: {sum(cost for cost, _ in mine):,.0f} instructions a step")
                for cost, function in mine[:12]:
                    if cost >= 100:
                        print(f"  {cost:12,.0f}  {function}")


main()
