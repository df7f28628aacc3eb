"""The flight recorder of a program that serves (commanded_server): what it keeps, and what writes it."""
import json
import os
import signal
import subprocess
import time

import pytest
from cuda_app import APP, CUPTI, needs_cuda
from flight import TRACE, bytes_in, causes, flights, folders, requests  # noqa: F401
from profiling import PROF, Report, prof, program
from sessions import consecutive, sessions  # noqa: F401

SECOND = 10**9


def check_window(report, times, seconds=1):
    """The report has exactly the requests of its window, by the program's own count."""
    start = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert abs(duration - seconds * SECOND) < SECOND / 100
    found = requests(report)
    consecutive(sorted(found))
    slack = 2_000_000  # between the clocks
    within = {number for number, (begin, end) in times.items()
              if begin > start + slack and end < start + duration - slack}
    touching = {number for number, (begin, end) in times.items()
                if end > start - slack and begin < start + duration + slack}
    assert within and within <= set(found) <= touching


def check_names(report):
    """What was named before the window is named in it."""
    ranges = [row for row in report.nvtx(59) if row["domain"] == "server"]
    assert {row["name"] for row in ranges} == {"request"} and {row["category"] for row in ranges} == {7}
    whole, = (row for row in report.nvtx(59) if row["name"] == "the whole life")
    assert whole["start"] <= 0 and whole["isOpen"] == 1
    names = [row["value"] for row in report.query(
        "SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId")]
    assert "the loop" in names
    calls = [row["value"] for row in report.query(
        "SELECT DISTINCT s.value FROM OSRT_API c JOIN StringIds s ON s.id = c.nameId")]
    assert "usleep" in calls


def test_snapshots_have_what_the_program_did_in_the_window(flights, sessions):
    server = flights()
    server.serve(2.5)
    sessions.works("snapshot", "-o", server.path / "first")
    times = server.times()
    first = Report(server.path / "first.db")
    check_window(first, times)
    check_names(first)
    assert [each["TRIGGER"] for each in causes(first)] == ["request"]
    # Without a name: that of the session, with a number.
    server.serve(0.5)
    assert f"Generated:\n\t{server.path}/r.1.db\n" in sessions.works("snapshot").stderr
    check_window(Report(server.path / "r.1.db"), server.times())
    # A signal does the same.
    os.kill(server.process.pid, signal.SIGUSR1)
    assert [each["TRIGGER"] for each in causes(server.wait_for_report("r.2.db"))] == ["signal"]
    # The last second is written at the end, and nothing is left.
    last = server.ask("hello")
    assert server.end() == 0
    end = Report(server.path / "r.db")
    assert max(requests(end)) >= last and 0.9 < end.value("SELECT duration FROM ANALYSIS_DETAILS") / SECOND < 1.1
    check_names(end)
    assert [each["CAUSE"] for each in causes(end)] == ["The program ended with exit status 0."]
    assert server.reports() == ["first.db", "r.1.db", "r.2.db", "r.db"]
    assert len(list(server.path.iterdir())) == 4 and not folders(server.process.pid)
    shown = prof("info", server.path / "r.db").stdout
    assert "Written        The program ended with exit status 0." in shown
    assert "Why this report: The program ended with exit status 0." in prof("analyze", server.path / "r.db").stdout


def test_a_launched_program(flights, sessions):
    server = flights("--session-new=web", verb="launch", trace=("-t", "nvtx,osrt"))
    server.serve(2)
    assert sessions.described("web")["flight"] and sessions.states() == {"web": "Collection"}
    sessions.works("snapshot", "--session=web")
    times = server.times()
    check_window(Report(server.path / "r.1.db"), times)
    check_names(Report(server.path / "r.1.db"))
    why = "the session web is a flight recorder; prof snapshot writes its last seconds, prof shutdown ends it"
    for verb in ("start", "stop", "cancel"):
        assert sessions.refuses(verb, "--session=web") == why
    last = server.ask("hello")
    server.say("crash")
    assert server.wait() == 128 + signal.SIGSEGV
    end = Report(server.path / "r.db")
    assert max(requests(end)) >= last
    assert [each["CAUSE"] for each in causes(end)] == ["The program was ended by signal 11 (SIGSEGV)."]
    assert server.reports() == ["r.1.db", "r.db"]


def test_live_views_show_what_the_recorder_holds(flights, sessions):
    """prof top, prof stats and prof view of a flight recorder, again and again while it drops segments."""
    server = flights("--session-new=web", verb="launch", trace=("-t", "nvtx,osrt"))
    server.serve(2)
    for _ in range(5):
        done = sessions.works("stats", "--session=web", "-r", "nvtx_sum", "-f", "json")
        ranges = {row["Range"]: row["Instances"] for row in json.loads(done.stdout)}
        assert ranges["server:request"] > 20 and ranges[":the whole life"] == 1
    server.serve(2)
    times = server.times()
    seen = json.loads(sessions.works("top", "--json", "-n", "1", "-i", "0.2", "-w", "0.5", "web").stdout)
    request, = (row for row in seen["ranges"] if row["name"] == "request")
    assert 0 < request["count"] < max(times) and any(row["name"] == "usleep" for row in seen["os"])
    # top ends with the recorder.
    top = subprocess.Popen([str(PROF), "top", "--json", "-i", "0.1", "web"], stdout=subprocess.PIPE, text=True,
                           env=sessions.environment)
    assert not json.loads(top.stdout.readline())["has_ended"]
    sessions.works("shutdown", "--session=web")
    last = top.communicate(timeout=60)[0].splitlines()[-1]
    assert top.returncode == 0 and json.loads(last)["has_ended"]
    assert not [path for path in sessions.folder.iterdir() if path.name.startswith("prof-live")]


def test_crashes_and_kills_of_the_program(flights):
    for how, text in (("crash", "11 (SIGSEGV)."), ("kill", "9 (SIGKILL).")):
        server = flights("-f", "true")
        last = server.serve(0.3)
        if how == "crash":
            server.say("crash")
            assert server.wait() == 128 + signal.SIGSEGV
        else:
            child = int(subprocess.check_output(["pgrep", "-P", str(server.process.pid)]))
            os.kill(child, signal.SIGKILL)
            assert server.wait() == 128 + signal.SIGKILL
        report = Report(server.path / "r.db")
        assert max(requests(report)) >= last - 1
        assert causes(report)[0]["CAUSE"].startswith(f"The program was ended by signal {text}")


def test_a_child_that_crashes(flights, sessions):
    """It writes no report, and its last events are in the next one."""
    server = flights(window="20s", command=["sh", "-c", f"{program('commanded_server')}; echo $?; read line"])
    last = server.serve(0.5)
    server.say("crash")
    assert server.process.stdout.readline() == f"{128 + signal.SIGSEGV}\n"
    assert server.reports() == []
    sessions.works("snapshot", "-o", server.path / "s")
    report = Report(server.path / "s.db")
    assert consecutive(sorted(requests(report)))[-1] >= last
    whole, = (row for row in report.nvtx(59) if row["name"] == "the whole life")
    assert whole["isOpen"] == 1
    assert server.end() in (0, 1)
    assert max(requests(Report(server.path / "r.db"))) >= last


@pytest.mark.parametrize("both", [False, True])
def test_what_a_killed_prof_leaves(flights, both):
    server = flights()
    last = server.serve(2.5)
    time.sleep(0.3)
    if both:
        os.kill(server.process.pid, signal.SIGSTOP)
        child = int(subprocess.check_output(["pgrep", "-P", str(server.process.pid)]))
        os.kill(child, signal.SIGKILL)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    if not both:
        server.ask("hello")  # the program goes on
    folder, = folders(server.process.pid)
    assert (server.path / "r.db.spool").exists()
    # The next prof says what to do, and does not remove it.
    done = prof("profile", "-o", server.path / "other", "true", cwd=server.path)
    assert f"prof recover {server.path}/r.db.spool" in done.stderr, done.stderr
    done = prof("recover", "r.db.spool", cwd=server.path)
    assert done.returncode == 0, done
    report = Report(server.path / "r.db")
    found = consecutive(sorted(requests(report)))
    assert found[-1] >= last and 0.9 < report.value("SELECT duration FROM ANALYSIS_DETAILS") / SECOND <= 1.01
    check_names(report)
    assert any("prof was killed" in text for text in report.diagnostics())
    assert not folder.exists() and not (server.path / "r.db.spool").exists()


def test_a_recording_whose_memory_is_gone(flights):
    server = flights()
    server.serve(0.2)
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()
    folder, = folders(server.process.pid)
    subprocess.run(["rm", "-r", folder], check=True)
    done = prof("recover", "r.db.spool", cwd=server.path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "the machine was restarted" in done.stderr


def test_what_is_left_without_its_recording_is_removed(flights):
    server = flights()
    server.serve(0.2)
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()
    folder, = folders(server.process.pid)
    (server.path / "r.db.spool").unlink()
    deadline = time.monotonic() + 60
    while folder.exists():  # a prof of another test may look at the folder at the same moment
        assert time.monotonic() < deadline
        prof("profile", "-f", "true", "-o", server.path / "other", "true", cwd=server.path)


def test_memory_is_bounded(flights, sessions):
    """A program that names 200,000 things and records faster than the window has room for."""
    server = flights("--osrt-threshold=0", window="60s,4MB")
    while server.ask("hello") < 500:  # names that are used again and again are kept
        pass
    folder, = folders(server.process.pid)
    most = 0
    for _ in range(4):
        server.say("names")
        while not server.process.stdout.readline():
            pass
        most = max(most, bytes_in(folder))
    # A drain that comes late, as on a busy machine, brings what the event buffer has.
    assert most < 64 << 20
    deadline = time.monotonic() + 60
    while bytes_in(folder) > 5 << 20:
        assert time.monotonic() < deadline, bytes_in(folder)
        server.serve(0.3)
    server.serve(0.3)
    sessions.works("snapshot", "-o", server.path / "s")
    report = Report(server.path / "s.db")
    assert any("memory of the flight recorder was full" in text for text in report.diagnostics())
    assert any("more names than the flight recorder keeps" in text for text in report.diagnostics())
    # What is used is named.
    names = {row["name"] for row in report.nvtx() if row["domain"] == "server" and row["eventType"] == 59}
    assert names == {"request"}
    consecutive(sorted(requests(report)))


@pytest.mark.parametrize("options, why", [
    (["--flight-recorder=x"], "--flight-recorder x: not TIME[,SIZE], such as 30s or 30s,512MB (time: 1s to 24h)"),
    (["--flight-recorder=10ms"], "--flight-recorder 10ms: not TIME[,SIZE], such as 30s or 30s,512MB (time: 1s to 24h)"),
    (["--flight-recorder=30"], "--flight-recorder 30: not TIME[,SIZE], such as 30s or 30s,512MB (time: 1s to 24h)"),
    (["--flight-recorder=30s,1K"], "--flight-recorder 30s,1K: the size is not one of 4MB to 1024GB"),
    (["--trigger", "range:a:>1s"],
     "--trigger and --trigger-after need --flight-recorder (such as 30s)"),
    (["--flight-recorder=30s", "--trigger", "range"],
     "--trigger range: not KIND:NAME:CONDITION, such as 'range:step:>500ms'"),
    (["--flight-recorder=30s", "--trigger", "range:a:500ms"],
     '--trigger range:a:500ms: "500ms" is not a condition such as >500ms or >4p99'),
    (["--flight-recorder=30s", "--trigger", "osrt:poll:>4p99"],
     '--trigger osrt:poll:>4p99: ">4p99" is not a condition such as >500ms'),
    (["--flight-recorder=30s", "--trigger", "rate:a:<10"],
     '--trigger rate:a:<10: "<10" is not a condition such as <10/s or <50%'),
    (["--flight-recorder=30s", "--trigger", "wish:a:>1s"],
     '--trigger wish:a:>1s: "wish" is not range, rate, cuda, osrt, gpu-idle or metric'),
    (["--flight-recorder=30s", "--trigger", "metric:a:>1"],
     "--trigger metric:a:>1: needs counters: --enable or --gpu-metrics-devices"),
    (["-t", "osrt", "--flight-recorder=30s", "--trigger", "range:a:>1s"],
     "--trigger range:a:>1s: needs nvtx in --trace"),
    (["--flight-recorder=30s", "--trigger-after=31s"],
     "--trigger-after is not shorter than what --flight-recorder keeps"),
    (["--flight-recorder=30s", "--delay=1"],
     "--flight-recorder does not go with --capture-range, --delay and --duration"),
    (["--flight-recorder=30s,900GB"], None),
])
def test_bad_values_get_one_clear_line(options, why, tmp_path):
    done = prof("profile", "-o", tmp_path / "r", *options, "true", cwd=tmp_path)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1 and done.stderr.startswith("prof: ")
    if why is None:
        assert "needs 921600 MB in /dev/shm" in done.stderr
    else:
        assert done.stderr[6:-1] == why
    assert not list(tmp_path.iterdir())


def test_commands_without_a_recorder(sessions, tmp_path):
    assert sessions.refuses("snapshot") == \
        "there is no flight recorder (prof profile --flight-recorder=30s starts one)"
    sessions.running(*TRACE[:2], program("numbered_ranges"), 60)
    assert "has no flight recorder" in sessions.refuses("snapshot", "--session=[default]")


@needs_cuda
def test_cuda_work_of_the_last_second(flights, sessions):
    """CUPTI delivers late; a snapshot waits for that."""
    server = flights("--cupti-path", CUPTI, trace=("-t", "cuda,nvtx", "--sample=none", "--cpuctxsw=none"),
                     command=[APP, "obey"])
    time.sleep(2.5)
    sessions.works("snapshot", "-o", server.path / "s")
    report = Report(server.path / "s.db")
    kernels = consecutive([row["gridX"] for row in report.query(
        "SELECT gridX FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")])
    calls = report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")
    assert kernels[0] > 1 and abs(calls - len(kernels)) <= 2
    assert report.value("SELECT count(*) FROM TARGET_INFO_GPU") == 2
    assert report.value("SELECT count(*) FROM TARGET_INFO_CUDA_CONTEXT_INFO") > 0
    names = report.query("SELECT value FROM StringIds WHERE id IN (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)")
    assert [row["value"] for row in names] == ["serve"]
    assert not [text for text in report.diagnostics() if "last GPU records" in text]
    server.process.stdin.close()
    server.process.stdin = None
    server.process.communicate(timeout=60)
