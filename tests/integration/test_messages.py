"""Messages between ranks are matched: a program prints how many each rank sent to each other one, and two of them are
100 ms late."""
import csv
import io
import subprocess

import pytest
from mpi_programs import KINDS, environment, mpirun
from profiling import PROF, prof, program

RANKS = 4
LATE = 100_000_000  # ns


def rows(name, *reports):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *reports)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def sums(found, column, *by):
    result = {}
    for row in found:
        key = tuple(int(row[each]) for each in by)
        result[key] = result.get(key, 0) + int(row[column])
    return result


def recorded(folder, kind, is_one_report):
    """Reports of the program, one for each rank or one for all, and what it printed."""
    options = ["profile", "-t", "mpi,osrt", "-s", "none", "--cpuctxsw=none"]
    target = [program(f"mpi_messages.{kind}")]
    launcher = [mpirun(kind), "-n", str(RANKS)]
    name = "all.db" if is_one_report else "%q{OMPI_COMM_WORLD_RANK}.db" if kind == "openmpi" else "%q{PMI_RANK}.db"
    profiled = [PROF, *options, "-o", folder / name, "--"]
    command = [*profiled, *launcher, *target] if is_one_report else [*launcher, *profiled, *target]
    done = subprocess.run(command, env=environment(), check=False, timeout=240, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done
    lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("sent ")]
    return {(int(sender), int(receiver)): int(count) for sender, receiver, count in lines}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_one_report", [False, True])
def test_each_message_is_matched(tmp_path, kind, is_one_report):
    sent = recorded(tmp_path, kind, is_one_report)
    assert len(sent) == RANKS * RANKS
    sent[(1, 0)] += 1  # the two late messages
    sent[(0, 1)] += 1
    found = rows("message_sum", tmp_path)
    assert sums(found, "Messages", "Sender", "Receiver") == {pair: count for pair, count in sent.items() if count}
    assert sums(found, "Unmatched") == {(): 0}
    late = {(row["Sender"], row["Receiver"]): int(row["Receiver Waits (ns)"])
            for row in found if row["Tag"] in ("77", "78")}
    assert late.keys() == {("0", "1"), ("1", "0")}
    # Between its sleep and its message the sender may have to wait for a CPU, and so may the receiver before.
    assert max(late.values()) > LATE // 2
    waits = {(row["Rank"], row["Waits For"]) for row in rows("rank_wait_sum", tmp_path)}
    assert waits >= {("0", "1"), ("1", "0")}


def test_the_path_goes_on_at_the_sender_that_came_late(tmp_path):
    recorded(tmp_path, "openmpi", False)
    slept = {row["Rank"]: int(row["Time on Path (ns)"]) for row in rows("critical_path", tmp_path)
             if row["Name"] == "usleep"}
    assert slept.keys() == {"0", "1"}
    assert all(time >= LATE for time in slept.values())
