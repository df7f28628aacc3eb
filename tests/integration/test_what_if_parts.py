"""Predictions for a part of a recording, in which work is going on at its begin and at its end."""
import json

import pytest
from made_up_program import US, Program
from profiling import prof

KERNELS, LENGTH = 100, 200 * US


@pytest.fixture(scope="module")
def queue(tmp_path_factory):
    """The thread launches all kernels at once, and the GPU runs one after the other."""
    program = Program(tmp_path_factory.mktemp("queue") / "report.sqlite")
    for _ in range(KERNELS):
        program.kernel("work", LENGTH)
    program.synchronize()
    return program.done()


def predicted(report, change, begin, end):
    done = prof("stats", "-q", "-r", f"what_if:{change}", "--filter-time", f"{begin}ns/{end}ns", "-f", "json", report)
    assert done.returncode == 0, done.stderr
    row, = json.loads(done.stdout)
    return row


@pytest.mark.parametrize("begin, end", [(5, 15), (4.9, 15.13), (2.01, 19.99), (10.1, 10.7)])
@pytest.mark.parametrize("factor", [0, 0.25, 0.5, 1])
def test_time_that_is_past_cannot_be_saved(queue, begin, end, factor):
    begin, end = int(begin * 1000 * US), int(end * 1000 * US)
    row = predicted(queue, f"kernel:work*{factor}", begin, end)
    assert row["Measured (ns)"] == row["Replayed (ns)"] == end - begin
    assert row["Predicted (ns)"] == pytest.approx(factor * (end - begin), abs=5)
    assert 0 <= row["Gain (ns)"] <= row["Replayed (ns)"]
