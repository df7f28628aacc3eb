"""MPICH's test/mpi, with Open MPI and MPICH: its programs check what MPI says of itself in the standard."""
import os
import re
import shutil
import sys
from pathlib import Path

import programs
import sources

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from mpi_programs import environment  # noqa: E402

VERSION = "4.0.2"
ARCHIVE = f"m/mpich/mpich_{VERSION}.orig.tar.xz"
SHA256 = "b27039f964afeb6b8a3e009c56b441cbe368c26d6d6476ad3bb7190996875860"
TRACE = "mpi"
FOLDERS = ["pt2pt", "coll", "comm", "topo", "part", "init", "spawn", "threads/pt2pt", "threads/coll", "threads/comm",
           "threads/rma", "errhan", "errors/coll", "errors/comm", "errors/pt2pt", "info", "group", "attr", "io", "rma",
           "f77/pt2pt", "f77/coll", "f77/comm", "f77/topo", "f77/rma", "f77/io", "f08/pt2pt", "f08/coll", "f08/comm",
           "f08/topo", "f08/rma", "f08/io"]
EXPLAINED = {}
LIMIT = 60  # seconds
# MPICH's ranks do not sleep while they wait: a test with many ranks takes minutes on few processors.
MAX_RANKS = 2 * os.cpu_count()


def tools(kind):
    """{variable of configure: compiler}, or null if this MPI is not installed."""
    found = {"CC": "mpicc", "MPICC": "mpicc", "MPICXX": "mpicxx", "MPIF77": "mpif77", "MPIFC": "mpif90",
             "MPIEXEC": "mpiexec"}
    paths = {variable: shutil.which(f"{name}.{kind}") for variable, name in found.items()}
    return paths if all(paths.values()) else None


def built(into, kind):
    source, folder = into / f"mpich-{VERSION}", into / f"mpich-tests-{kind}"
    if not source.exists():
        sources.unpack(ARCHIVE, SHA256, into)
    if not (folder / "built").exists():
        folder.mkdir(exist_ok=True)
        flags = {name: "-fallow-argument-mismatch" for name in ("FFLAGS", "FCFLAGS")}
        commands = [[source / "test/mpi/configure", "--disable-cxx", "--disable-romio", "--enable-strictmpi=no"]]
        # Not all of them compile with each MPI, or each version.
        commands += [["sh", "-c", f"make -k -j2 -C {name} || true"] for name in ("util", "dtpools", *FOLDERS)]
        sources.build(f"mpich-tests-{kind}", folder, [*commands, ["touch", "built"]], {**tools(kind), **flags})
    return source / "test/mpi", folder


def listed(source, folder, name):
    """Yields (line, program, ranks, options) of a list of tests."""
    for tests in (folder / name / "testlist", source / name / "testlist"):
        if tests.exists():
            break
    else:
        return
    for line in tests.read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#") or (len(words) > 1 and not words[1].isdigit()):
            continue
        # Tests that are expected to fail wait until they are killed.
        if any(word.startswith("xfail=") for word in words):
            continue
        ranks = int(words[1]) if len(words) > 1 else 2
        if (folder / name / words[0]).exists() and ranks <= MAX_RANKS:
            yield " ".join(words), words[0], ranks, words[2:]


def program(source, folder, kind, name, test):
    line, binary, ranks, options = test
    settings = [option.split("=", 1) for option in options if "=" in option]
    arguments = [value for key, value in settings if key == "arg"]
    launcher = [tools(kind)["MPIEXEC"], "-n", str(ranks)]
    wanted = dict(settings).get("resultTest")
    variables = dict(value.split("=", 1) for key, value in settings if key == "env" and "=" in value)
    sign = r"(?m)^\s*No Errors" if wanted is None else ""
    return programs.Program(re.sub(": ", " ", line), [*launcher, f"./{binary}", *arguments],
                            {**environment_of(kind), **variables}, str(folder / name), sign, LIMIT)


def environment_of(kind):
    """What the tests need of a launcher, here with fewer processors than ranks."""
    wanted = {name: value for name, value in environment().items() if name.startswith("OMPI_")}
    return wanted if kind == "openmpi" else {}


def parts(arguments):
    result = []
    for kind in ("mpich", "openmpi"):
        if tools(kind) is None:
            continue
        source, folder = built(arguments.sources, kind)
        for name in FOLDERS:
            tests = list(listed(source, folder, name))
            if tests:
                result.append(programs.part(f"{kind}-{name.replace('/', '-')}",
                                            [program(source, folder, kind, name, test) for test in tests],
                                            arguments.sources / "lists"))
    return result
