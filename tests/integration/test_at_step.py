"""prof start --at-step: recordings that begin and end at steps, which are counted from the start of the program."""
import sys

import pytest
from profiling import Report, program, source_of, wait_until
from sessions import numbers, sessions  # noqa: F401
from test_capture import MARK, texts

# A step of numbered_ranges has its number as payload.
COUNTED = "-t", "nvtx", "--step-range=request@server"


def steps(sessions):  # noqa: F811
    return sessions.described()["steps"]


def wait_for_steps(sessions, condition):  # noqa: F811
    wait_until(lambda: condition(steps(sessions)))


def is_idle(states):
    return states.get("[default]") == "Launched"


def start(sessions, tmp_path, request):  # noqa: F811
    """Returns the step at which the recording begins."""
    words = sessions.works("start", f"--at-step={request}", "-s", "none", "-o", tmp_path / "r").stdout.split()
    assert words[:3] == ["begins", "at", "step"]
    return int(words[3])


def test_steps_of_a_session(sessions, tmp_path):  # noqa: F811
    sessions.running(*COUNTED, program("numbered_ranges"), 600, "slow")
    wait_for_steps(sessions, lambda begun: begun > 0)
    wanted = steps(sessions) + 300
    assert start(sessions, tmp_path, f"{wanted}:5") == wanted
    wait_until((tmp_path / "r.db").exists)
    assert numbers(tmp_path / "r.db") == list(range(wanted, wanted + 5))
    # Without COUNT the recording goes on until prof stop.
    wanted = steps(sessions) + 300
    (tmp_path / "r.db").unlink()
    start(sessions, tmp_path, wanted)
    wait_for_steps(sessions, lambda begun: begun > wanted + 20)
    sessions.works("stop")
    found = numbers(tmp_path / "r.db")
    assert found == list(range(wanted, wanted + len(found))) and len(found) >= 20
    sessions.works("shutdown", "--kill=sigkill")


def test_the_next_multiple(sessions, tmp_path):  # noqa: F811
    sessions.running(*COUNTED, program("numbered_ranges"), 600, "slow")
    wait_for_steps(sessions, lambda begun: begun > 0 and begun % 200 < 20)
    begun = steps(sessions)
    first = start(sessions, tmp_path, "next:200:3")
    assert first % 200 == 0 and first > begun
    wait_until((tmp_path / "r.db").exists)
    assert numbers(tmp_path / "r.db") == [first, first + 1, first + 2]
    sessions.works("shutdown", "--kill=sigkill")


def test_a_collection_that_waits(sessions, tmp_path):  # noqa: F811
    sessions.running(*COUNTED, program("numbered_ranges"), 600, "slow")
    wait_for_steps(sessions, lambda begun: begun > 0)
    assert start(sessions, tmp_path, "1000000") == 1_000_000
    assert sessions.states()["[default]"] == "DelayedCollection"
    assert "waits for step 1000000 (the program is at step " in sessions.refuses("stop")
    sessions.works("cancel")
    passed = sessions.refuses("start", "--at-step=0", "-o", tmp_path / "r")
    assert passed.startswith("--at-step: step 0 has passed; the program is at step "), passed
    assert is_idle(sessions.states()) and not list(tmp_path.glob("r*"))
    sessions.works("shutdown", "--kill=sigkill")


def test_before_the_program(sessions, tmp_path):  # noqa: F811
    sessions.works("start", "--session-new=early", "--at-step=0:2", "-s", "none", "-o", tmp_path / "r")
    sessions.works("launch", "--session=early", *COUNTED, program("numbered_ranges"), 1, "slow")
    assert numbers(tmp_path / "r.db") == [0, 1]


def test_the_program_ends_before(sessions, tmp_path):  # noqa: F811
    sessions.works("start", "--session-new=early", "--at-step=1000000", "-o", tmp_path / "r")
    done = sessions.works("launch", "--session=early", *COUNTED, program("numbered_ranges"), 0.5, "slow")
    assert "ended before anything started the collection (step 1000000 (" in done.stderr, done.stderr


def test_steps_of_the_optimizer(sessions, tmp_path):  # noqa: F811
    sessions.works("start", "--session-new=torch", "--at-step=150:3", "-s", "none", "-o", tmp_path / "r")
    sessions.works("launch", "--session=torch", "-t", "nvtx", "--step-range=optimizer", sys.executable,
                   source_of("counted_steps.py"), 300, 0.01)
    marks = [int(text.split()[1]) for text in texts(Report(tmp_path / "r.db"), MARK)]
    assert marks == [150, 151, 152]  # PyTorch's steps end with the first optimizer's: the mark comes before


def test_steps_that_are_not_counted(sessions, tmp_path):  # noqa: F811
    sessions.running("-t", "nvtx", "sleep", "600")
    assert "does not count steps; prof launch --step-range" in sessions.refuses("start", "--at-step=5")
    assert "does not go with" in sessions.refuses("start", "--at-step=5", "-c", "cudaProfilerApi")
    assert "contradict" in sessions.refuses("start", "--at-step=5", "--at=+1s")
    assert "the value is empty" in sessions.refuses("start", "--at-step=")
    assert is_idle(sessions.states())
    sessions.works("shutdown", "--kill=sigkill")
    sessions.works("start", "--session-new=early", "--at-step=5", "-o", tmp_path / "r")
    assert "does not count steps" in sessions.refuses("launch", "--session=early", "true")
    sessions.works("cancel", "--session=early")


@pytest.mark.parametrize("words, text", [
    (("-p", "a", "--step-range=b"), "one range, not two"), (("--step-range=@x",), "an NVTX range is RANGE")])
def test_refusals_of_launch(sessions, words, text):  # noqa: F811
    assert text in sessions.refuses("launch", *words, "true")
