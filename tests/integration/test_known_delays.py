"""Jobs that really run, with one rank that is late for a known reason: prof analyze names the rank, the cause, the
function and the line. The job is late_rank.py, which uses MPI through mpi_steps.c."""
import json

import pytest
from late_jobs import FAULTS, causes, findings, has_mpi, is_line_of, record
from profiling import prof

STATUS = json.loads(prof("status", "--json").stdout)
KINDS = [kind for kind in ("openmpi", "mpich") if has_mpi(kind)]
# Only the kernel's samples show page faults, and context switches waits for a CPU.
OF_THE_KERNEL = ("cpu", "faults")
needs_mpi = pytest.mark.skipif(not KINDS, reason="no MPI is installed")


def late_rank(folder, rank):
    """The finding about this rank. It is the only one, unless the machine has held up another one, too."""
    found = findings(folder)
    of_rank = [each for each in found if each["rule"] == "late_rank" and f"wait for rank {rank} (" in each["finding"]]
    assert of_rank, found
    return of_rank[0]


def check(tmp_path, fault, check_rank):
    """Records the job until the check is true. Something else that takes the CPUs for a second, as other tests do, can
    hold up the rank by more than its fault does, or another rank."""
    for attempt in range(4):
        folder = tmp_path / f"run{attempt}"
        record(folder, KINDS[0], 2, fault)
        try:
            return check_rank(folder, *FAULTS[fault])
        except (AssertionError, IndexError, ValueError):
            if attempt == 3:
                raise
    return None


def check_waits(folder, sentence, cause, place, line):
    found = late_rank(folder, 1)
    assert sentence in found["finding"], found
    assert place in found["evidence"], found
    assert is_line_of(found["evidence"], line), found
    assert causes(folder, 1)[0] == cause


def check_code(folder, sentence, cause, place, line):
    found = late_rank(folder, 1)
    # On a busy machine, a rank that needs more of a CPU also waits longer for one.
    if "it waits for a CPU" not in found["finding"]:
        assert sentence in found["finding"], found
        assert place in found["evidence"], found
        assert not line or is_line_of(found["evidence"], line), found
    assert [each for each in causes(folder, 1) if each == cause or each != "waits for a CPU"][0] == cause


@needs_mpi
@pytest.mark.parametrize("fault", ["sleep", "data", "lock"])
def test_waits_of_one_rank(tmp_path, fault):
    check(tmp_path, fault, check_waits)


@needs_mpi
@pytest.mark.parametrize("fault", ["python", "native", "gc", "faults", "cpu"])
def test_code_of_one_rank(tmp_path, fault):
    if fault in OF_THE_KERNEL and not STATUS["sampling"]["detail"].startswith("by the kernel"):
        pytest.skip(STATUS["sampling"]["detail"])
    check(tmp_path, fault, check_code)
