"""Runs programs that print what calls cost alone and under prof, and prints the best of several runs."""
import os
import re
import subprocess
import tempfile
from pathlib import Path


def times(build, program, options, environment):
    """{name: ns} that the program prints; under prof unless the options are None."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = [] if options is None else [str(build / "bin/prof"), "profile", "-s", "none", "--cpuctxsw=none", "-o",
                                             str(Path(folder) / "r.db"), *options]
        done = subprocess.run([*prefix, str(build / "bin/programs" / program)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True, env={**environment, **os.environ})
    return {name: float(ns) for name, ns in re.findall(r"^(\S+) ([\d.]+)$", done.stdout, re.M)}


def print_prices(build, program, ways, rounds, environment):
    """`ways`: {title: options of prof profile}."""
    best = {way: {} for way in ways}
    for _ in range(rounds):  # interleaved, because the machine may become slower
        for way, options in ways.items():
            for name, ns in times(build, program, options, environment).items():
                best[way][name] = min(ns, best[way].get(name, ns))
    print(f"{program + ', ns':28}" + "".join(f"{way:>12}" for way in ways))
    for name in next(iter(best.values())):
        print(f"{name:28}" + "".join(f"{best[way][name]:12.1f}" for way in ways))
