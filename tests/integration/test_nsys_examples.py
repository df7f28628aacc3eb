"""The command lines that nsys's help and guide give as examples, with prof in place of nsys: they run, or one line says
why not. Times are shorter here."""
import shutil
import sys
import time

import pytest
from profiling import Report, prof, program, source_of
from sessions import numbers, sessions  # noqa: F401


def examples(text):
    return [line.split() for line in text.strip().splitlines()]


# The program follows.
PROFILE = examples("""
    profile
    profile --output=report1
    profile -o test -f true
    profile --trace=cuda,nvtx -d 0.2 --sample=none --cpuctxsw=none -o my_test
    profile -e TEST_ONLY=0 -y 0.1
    profile -t cuda,nvtx,osrt,cudnn,cublas --stats=true
    profile --trace=cuda,cudnn,cublas,osrt,nvtx --delay=0.1
    profile --trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true -o easy
    profile --sample=process-tree
    profile --sample=system-wide --cpuctxsw=system-wide
    profile --samples-per-backtrace=1
    profile --stop-on-exit=true --wait=primary -w true
    profile -y 0.1 -d 0.1 --kill=sigkill
    profile --cuda-memory-usage=true --cudabacktrace=all
    profile --gpuctxsw=True
    profile --python-sampling=true --python-backtrace=cuda
    profile --osrt-threshold=10000 --export=sqlite
    profile --capture-range=none
""")


@pytest.mark.parametrize("words", PROFILE, ids=" ".join)
def test_profile(tmp_path, words):
    done = prof(*words, program("numbered_ranges"), 0.5, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report, = tmp_path.glob("*.db")
    assert Report(report).value("PRAGMA integrity_check") == "ok"
    if "nvtx" in " ".join(words) or "--trace" not in " ".join(words):
        found = numbers(report)
        assert found and found == list(range(found[0], found[0] + len(found)))
        delayed = any(word in ("-y", "--delay=0.1") for word in words)
        assert (found[0] > 0) == delayed


@pytest.mark.parametrize("words", examples("""
    profile --ftrace=drm/drm_vblank_event -d 1
    profile --event-sample=system-wide --cpu-core-events=1,2
    profile --trace=gds
    profile --trace=opengl,dx12
    profile --capture-range=hotkey
    profile --hotkey-capture=F10
"""), ids=" ".join)
def test_what_prof_does_not_do(tmp_path, words):
    """One line for each option says so, and the rest is recorded."""
    done = prof(*words, "-o", "r", "true", cwd=tmp_path)
    said = [line for line in done.stderr.splitlines() if line.startswith("prof: ")]
    assert done.returncode == 0 and len(said) == sum(word.startswith("--") for word in words), done
    assert all(line.removeprefix("prof: ") in Report(tmp_path / "r.db").diagnostics() for line in said)


def test_what_a_session_does_not_do(sessions, tmp_path):
    assert "sudo -u USER" in sessions.refuses("launch", "--run-as=nobody", "true")
    done = sessions.works("start", "--delay=20", "--syscall=pid-namespace", "-o", tmp_path / "r")
    assert [line.split(":")[1] for line in done.stderr.splitlines()] == [" --delay", " --syscall"]
    done = sessions.works("launch", "--enable=cpu_metrics", "-t", "gds,syscall,nvtx", "true")
    assert [line.split(":")[1] for line in done.stderr.splitlines() if "prof: --" in line] == [
        " --trace=gds", " --trace=syscall", " --enable"]
    says = Report(tmp_path / "r.db").diagnostics()
    assert any(line.startswith("--trace=gds: ") for line in says) and any(line.startswith("--enable: ") for line in says)


def test_collect_from_the_beginning_and_end_manually(sessions, tmp_path):
    sessions.works("start", "--stop-on-exit=false", cwd=tmp_path)
    sessions.works("launch", "--trace=cuda,nvtx", program("numbered_ranges"), 0.1)
    assert sessions.states() == {"[default]": "Collection"}
    sessions.works("stop", cwd=tmp_path)
    assert numbers(tmp_path / "report1.db")[0] == 0
    sessions.wait_for(lambda states: not states)


def test_begin_manually_and_end_with_the_program(sessions, tmp_path):
    launched = sessions.running("-w", "true", program("numbered_ranges"), 2)
    sessions.works("start", cwd=tmp_path)
    assert launched.wait(60) == 0
    assert numbers(tmp_path / "report1.db")[0] > 0
    assert not sessions.list()


def test_begin_and_end_manually_several_times(sessions, tmp_path):
    sessions.running("-w", "true", program("numbered_ranges"), 60)
    for i in (1, 2, 3):
        sessions.works("start", cwd=tmp_path)
        time.sleep(0.1)
        sessions.works("stop", cwd=tmp_path)
        assert numbers(tmp_path / f"report{i}.db")
    sessions.works("shutdown", "--kill", "sigkill")


def test_nvtx_range_of_a_domain(sessions, tmp_path):
    sessions.works("start", "-c", "nvtx", cwd=tmp_path)
    sessions.works("launch", "-w", "true", "-p", "request@server", "-e", "NSYS_NVTX_PROFILER_REGISTER_ONLY=0",
                   program("numbered_ranges"), 0.2)
    assert numbers(tmp_path / "report1.db") in ([], [0])  # the range itself


def test_cuda_profiler_api(sessions, tmp_path):
    sessions.works("start", "--capture-range=cudaProfilerApi", cwd=tmp_path)
    done = sessions.works("launch", "-w", "true", sys.executable, source_of("nvtx_epochs.py"))
    assert done.stdout == "done\n" and not numbers(tmp_path / "report1.db")  # it has no CUDA
    assert "did not call cudaProfilerStart" in done.stderr


@pytest.mark.skipif(not shutil.which("timeout"), reason="timeout is not installed")
def test_a_server_under_timeout(tmp_path):
    """As in batch jobs: the report is written before the program's time is over."""
    done = prof("profile", "-o", tmp_path / "r", "timeout", "0.3", program("numbered_ranges"), 60)
    assert done.returncode == 124 and numbers(tmp_path / "r.db")
