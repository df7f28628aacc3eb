#!/usr/bin/env python3
"""Prints what OpenMP, MPI and UCX cost alone and under prof, ns: the best of several runs, for each library that is installed.

Usage: parallel_calls.py BUILD_DIRECTORY [--rounds N]
"""
import argparse
import sys
from pathlib import Path

from call_prices import print_prices

PROGRAMS = {"omp_price.libgomp": "openmp", "omp_price.libomp": "openmp", "mpi_price.openmpi": "mpi",
            "mpi_price.mpich": "mpi", "ucx_price": "ucx"}
# One process as root, without a launcher and a network.
ENVIRONMENT = {"OMPI_MCA_plm": "isolated", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "UCX_TLS": "self"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found = [program for program in PROGRAMS if (arguments.build / "bin/programs" / program).exists()]
    if not found:
        sys.exit("none of these programs was built: " + ", ".join(PROGRAMS))
    for program in found:
        trace = PROGRAMS[program]
        ways = {"alone": None, "-t none": ["-t", "none"], f"-t {trace}": ["-t", trace]}
        print_prices(arguments.build, program, ways, arguments.rounds, ENVIRONMENT)
        print()


if __name__ == "__main__":
    main()
