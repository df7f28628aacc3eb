"""Runs programs under each MPI that is installed."""
import os
import shutil

KINDS = ["openmpi", "mpich"]
LAUNCHER = ("OMPI_", "PMIX_", "PMI_", "MPI_", "HYDRA_", "MPIR_")  # variables of a launcher around the test


def environment():
    plain = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER)}
    # Nothing but the two: CI runs as root, without other machines.
    return plain | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def mpirun(kind):
    import pytest  # tests/suites have environment() without it
    path = shutil.which(f"mpirun.{kind}")
    if path is None:
        pytest.skip(f"mpirun.{kind} is not installed")
    return path
