"""The network as a cause: a rank that waits at sockets, transfers that are slow in one communicator, and at times."""
import csv
import io

from made_up_program import MS, US, Program
from named import with_names
from profiling import prof

STEPS = 20
PACKETS = {"rx_bytes": "bytes/s", "rx_dropped": "packets/s"}


def findings(folder):
    done = prof("analyze", "-q", "-f", "json", folder)
    assert done.returncode == 0, done.stderr
    return with_names(done.stdout)


def delays(folder):
    done = prof("stats", "-q", "-r", "delay_sum", "-f", "csv", folder)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def job(folder, transfers, counters=None):
    """Each pair of ranks has its communicator. transfers(rank, step): ns. counters[rank]: dropped packets by step."""
    folder.mkdir()
    for rank in range(transfers.ranks):
        program = Program(folder / f"r{rank}.sqlite")
        of = {"NCCL communicator ID": 7 + rank // 2}
        program.insert("NVTX_EVENTS", program.now, None, 75, "NCCL", None, program.thread, 1, None)
        with program.range("ncclCommInitRankConfig", 1, {**of, "No. of ranks": 2, "Rank": rank % 2}):
            program.compute(US)
        times = []
        for step in range(STEPS):
            with program.range("step"):
                program.compute(MS)
                program.kernel("gemm", MS)
                with program.range("ncclAllReduce", 1, {**of, "Message size [bytes]": 1 << 20}):
                    program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", transfers.of(rank, step), blocks=24)
                program.synchronize()
            times.append(program.now)
        for name, dropped in ((counters or {}).get(rank) or {}).items():
            # Rates since the sample before.
            samples = [(time, {"rx_bytes": 1e6, "rx_dropped": dropped(step) * 1e9 / (time - before)})
                       for step, (before, time) in enumerate(zip([0, *times], times))]
            program.sample_counters(name, PACKETS, samples)
        program.done()
    return folder


class SlowPair:
    """Of three pairs of ranks, transfers of ranks 2 and 3 take five times as long."""
    ranks = 6

    @staticmethod
    def of(rank, step):
        return (5 * MS if rank in (2, 3) else MS) + step % 3 * US


class SlowAtTimes:
    """Transfers of two ranks take six times as long in every fifth step."""
    ranks = 2

    @staticmethod
    def of(rank, step):
        return (6 * MS if step % 5 == 4 else MS) + step % 3 * US


def test_a_slow_communicator(tmp_path):
    folder = job(tmp_path / "run", SlowPair)
    found = findings(folder)
    assert found["verdict"] == "a slow network"
    (finding,) = found["findings"]
    assert finding["rule"] == "late_rank" and "rank 2" in finding["finding"]
    assert "its network is slow in every step" in finding["finding"]
    for text in ("AllReduce", "of ranks 2, 3 take 5", "other communicators 1", "nccl-tests"):
        assert text in finding["evidence"] + finding["remedy"], text
    # Four of five milliseconds in each of the steps from the second one on.
    assert abs(finding["at_stake_ns"] - 4 * MS * (STEPS - 1)) < MS
    network = [row for row in delays(folder) if row["Cause"] == "network"]
    assert {row["Rank"] for row in network if int(row["Delay (ns)"]) > MS} == {"2", "3"}
    assert int(network[0]["Delay (ns)"]) == finding["at_stake_ns"]


def test_counters_name_the_rank(tmp_path):
    dropped = {"Network eth0": lambda step: 3}
    found = findings(job(tmp_path / "run", SlowPair, {3: dropped}))
    (finding,) = found["findings"]
    # The first operation does not count.
    assert "rank 3" in finding["finding"] and f"Network eth0 counts {3 * (STEPS - 1)} rx_dropped" in finding["evidence"]


def test_slow_at_times_needs_counters(tmp_path):
    assert findings(job(tmp_path / "without", SlowAtTimes))["verdict"] != "a slow network"
    at_other_times = {"Network eth0": lambda step: 9 if step % 5 == 1 else 0}
    assert findings(job(tmp_path / "others", SlowAtTimes, {1: at_other_times}))["verdict"] != "a slow network"
    meanwhile = {"Network eth0": lambda step: 9 if step % 5 == 4 else 0}
    found = findings(job(tmp_path / "with", SlowAtTimes, {1: meanwhile}))
    assert found["verdict"] == "a slow network"
    (finding,) = found["findings"]
    assert "rank 1" in finding["finding"] and "in every 5th step" in finding["finding"]
    assert "take 6" in finding["evidence"] and "and the others 1" in finding["evidence"]
    assert "Network eth0 counts 36 rx_dropped" in finding["evidence"]


def test_calls_that_use_sockets(tmp_path):
    late = 4 * MS
    (tmp_path / "run").mkdir()
    for rank in range(2):
        program = Program(tmp_path / "run" / f"r{rank}.sqlite")
        program.communicator(2)
        for _ in range(STEPS):
            with program.range("step"):
                program.os_call("recv", MS + (late if rank == 1 else 0))
                program.kernel("gemm", MS)
                program.all_reduce(1 << 20, 100 * US + (late if rank == 0 else 0))
                program.synchronize()
        program.done()
    (finding,) = findings(tmp_path / "run")["findings"]
    assert "rank 1" in finding["finding"] and "it waits for the network in every step" in finding["finding"]
    assert "in recv" in finding["evidence"]
    assert (delays(tmp_path / "run")[0]["Rank"], delays(tmp_path / "run")[0]["Cause"]) == ("1", "network")
