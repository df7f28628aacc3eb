"""-t opengl: what OpenGL programs do, with Mesa's software renderer or a GPU."""
import csv
import os
import shutil
import sqlite3
import subprocess

import pytest
from profiling import Report, TRUTH, prof, program

OPENGL_TRUTH = TRUTH / "opengl"
WAYS = {"linked": ("gl_frames", "linked"), "found": ("gl_frames", "found"), "opened": ("gl_frames.opened", "opened")}
# Calls of gl_frames that nsys's program does not make.
OWN = "('glDebugMessageInsert', 'glReadPixels', 'glGetQueryObjectui64v')"


def frames(way, *words):
    return [program(WAYS[way][0]), WAYS[way][1], *(str(word) for word in words)]


def plain(*words):
    """What the program prints without prof."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("there is no driver of OpenGL: " + done.stdout)
    assert done.returncode == 0
    return done.stdout


def recorded(tmp_path, words, *options, traces="opengl,opengl-annotations", environment=None):
    """The report of a program, which prints the same as without prof."""
    path = tmp_path / "gl.db"
    done = prof("profile", "-t", traces, "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path, *options, "--", *words,
                env=environment)
    assert done.returncode == 0, done
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    return report


def recorded_frames(tmp_path, way, *words, options=(), traces="opengl,opengl-annotations"):
    command = frames(way, *words)
    wanted = plain(*command)
    report = recorded(tmp_path, command, *options, traces=traces)
    assert wanted in report.done.stdout
    return report


def counts(report):
    return dict(report.query("SELECT value, count(*) FROM OPENGL_API JOIN StringIds ON id = nameId GROUP BY 1"))


def truth(gpu):
    """nsys's rows by table; values are texts, and empty if they are NULL."""
    found = {}
    for line in (OPENGL_TRUTH / "gl_zoo.tsv").read_text().splitlines()[1:]:
        of, table, *values = line.split("\t")
        if int(of) == gpu:
            found.setdefault(table, []).append(tuple(values))
    return found


def texts(rows):
    return [tuple("" if value is None else str(value) for value in row) for row in rows]


@pytest.mark.parametrize("gpu", [1, 0])
def test_the_same_rows_as_nsys(tmp_path, gpu):
    """nsys has the GPU's work of only two of the four frames."""
    report = recorded_frames(tmp_path, "linked", options=[f"--opengl-gpu-workload={'true' if gpu else 'false'}"])
    wanted = truth(gpu)
    calls = texts(report.query(
        f"""SELECT value, eventClass, endGlobalTid, correlationId, endCorrelationId, endNameId, returnValue, frameId,
                   contextId, gpu, display
            FROM OPENGL_API JOIN StringIds ON id = nameId WHERE value NOT IN {OWN} ORDER BY start"""))
    if gpu:  # nsys's program ends without releasing its context
        assert calls.pop()[0] == "eglMakeCurrent"
    assert calls == wanted["OPENGL_API"]
    assert texts(report.query(
        """SELECT value, eventClass, source, khrdType, k.id, severity, correlationId, context
           FROM KHR_DEBUG_EVENTS AS k JOIN StringIds AS s ON s.id = textId WHERE eventClass <> 52
           ORDER BY correlationId, eventClass""")) == wanted["KHR_DEBUG_EVENTS"]
    assert ("OPENGL_WORKLOAD" in report.tables()) == bool(gpu)
    if gpu:
        work = texts(report.query(
            """SELECT a.value, b.value, eventClass, endGlobalTid, correlationId, endCorrelationId, returnValue, frameId,
                      contextId, gpu, display
               FROM OPENGL_WORKLOAD JOIN StringIds AS a ON a.id = nameId JOIN StringIds AS b ON b.id = endNameId
               ORDER BY start"""))
        assert len(work) == 4 and set(wanted["OPENGL_WORKLOAD"]) <= set(work)
        for table in ("ENUM_OPENGL_DEBUG_SOURCE", "ENUM_OPENGL_DEBUG_TYPE", "ENUM_OPENGL_DEBUG_SEVERITY"):
            assert texts(report.query(f"SELECT * FROM {table}")) == wanted[table]


@pytest.mark.parametrize("way", WAYS)
def test_each_call_once_in_each_way(tmp_path, way):
    found = counts(recorded_frames(tmp_path, way, 10, 3))
    for name, count in {"glClear": 10, "glDrawArrays": 30, "glDispatchCompute": 10, "glMemoryBarrier": 10, "eglSwapBuffers": 10,
                        "glPushDebugGroup": 30, "glPopDebugGroup": 30, "glDebugMessageInsert": 1, "glFinish": 1,
                        "glReadPixels": 1, "eglCreateContext": 1, "eglMakeCurrent": 2, "glBindFramebuffer": 1}.items():
        assert found.pop(name) == count, name
    assert found == {"glFramebufferTexture2D": 1, "glGetQueryObjectui64v": 1}


def test_work_of_the_gpu(tmp_path):
    """200 draws of a frame are four workloads, which follow each other and contain the groups of the frame."""
    report = recorded_frames(tmp_path, "linked", 5, 200)
    work = report.query("SELECT start, end, correlationId, endCorrelationId FROM OPENGL_WORKLOAD ORDER BY start")
    assert len(work) == 20
    for (begin, _, _, last), (start, _, first, _) in zip(work, work[1:]):
        assert begin < start and first > last
    # A clear, 200 draws and a dispatch, without the barrier and the swap, which cannot begin work.
    calls = report.value(f"SELECT count(*) FROM OPENGL_API WHERE {' OR '.join(f'correlationId BETWEEN {f} AND {l}' for _, _, f, l in work)}")
    assert calls == 5 * 204
    groups = report.query("""SELECT gpu.start, gpu.end, cpu.start FROM KHR_DEBUG_EVENTS AS gpu JOIN KHR_DEBUG_EVENTS AS cpu
                             USING (correlationId, textId) WHERE gpu.eventClass = 63 AND cpu.eventClass = 62""")
    assert len(groups) == 15
    assert all(start <= end and begin < end for start, end, begin in groups)
    # The clocks of the CPU and of the GPU agree: no work is before the calls of the first group, none after the report.
    first, last = report.query("SELECT min(start), max(end) FROM OPENGL_API")[0]
    assert first < work[0][0] and work[-1][1] < last


def test_markers(tmp_path):
    report = recorded_frames(tmp_path, "linked", 1)
    assert [tuple(row) for row in report.query(
        """SELECT value, source, khrdType, KHR_DEBUG_EVENTS.id, severity, end FROM KHR_DEBUG_EVENTS
           JOIN StringIds ON StringIds.id = textId WHERE eventClass = 52""")] == [("the end", 33354, 33384, 7, 33387, None)]


def test_groups_only_on_request(tmp_path):
    report = recorded_frames(tmp_path, "linked", 2, traces="opengl")
    assert "KHR_DEBUG_EVENTS" not in report.tables() and counts(report)["glPushDebugGroup"] == 6


@pytest.mark.parametrize("library", ["libEGL.so.1", "libEGL.so"])
@pytest.mark.parametrize("name", ["gl_opening", "gl_opening.private"])
def test_what_dlopen_gives(tmp_path, name, library):
    """Functions that the library has and lacks, handles, namespaces, search paths and errors are those without prof."""
    command = [program(name), library]
    wanted = plain(*command)
    assert library == "libEGL.so" or ("gl_private_answer: found" in wanted) == (name == "gl_opening.private")
    assert wanted in recorded(tmp_path, command).done.stdout


def test_without_a_driver(tmp_path):
    """libglvnd finds no vendor: the program fails as it does without prof."""
    command = frames("opened")
    plain(*command)
    environment = {**os.environ, "__EGL_VENDOR_LIBRARY_FILENAMES": "/dev/null"}
    wanted = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    assert wanted.returncode == 77
    path = tmp_path / "gl.db"
    done = prof("profile", "-t", "opengl", "-s", "none", "-f", "true", "-o", path, "--", *command, env=environment)
    assert done.returncode == 77 and wanted.stdout in done.stdout
    assert "OPENGL_API" not in Report(path).tables()


def test_programs_without_opengl_have_one_more_library_only_on_request(tmp_path):
    done = prof("profile", "-s", "none", "-f", "true", "-o", tmp_path / "r.db", "--", "cat", "/proc/self/maps")
    assert done.returncode == 0 and "libprof_inject" in done.stdout and "libprof_opengl" not in done.stdout
    done = prof("profile", "-t", "opengl", "-s", "none", "-f", "true", "-o", tmp_path / "r.db", "--", "cat", "/proc/self/maps")
    assert done.returncode == 0 and "libprof_opengl.so" in done.stdout and "libprof_opengl_" not in done.stdout


def test_windows_of_x11(tmp_path):
    """glxgears (GLX, linked): each frame is a swap."""
    if not shutil.which("xvfb-run") or not shutil.which("glxgears"):
        pytest.skip("xvfb-run and glxgears (mesa-utils) are not installed")
    report = recorded(tmp_path, ["xvfb-run", "-a", "glxgears"], "--duration-frames=60")
    found = counts(report)
    assert found["glXSwapBuffers"] == 60 and found["glClear"] == 60
    assert report.value("SELECT count(*) FROM OPENGL_WORKLOAD") > 0


@pytest.mark.parametrize("name", ["opengl_khr_range_sum", "opengl_khr_gpu_range_sum"])
def test_statistics_print_what_nsys_prints(tmp_path, name):
    path = tmp_path / "nsys.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript((OPENGL_TRUTH / "gl_zoo_groups.sql").read_text())
    done = prof("stats", "-q", "-r", name, "-f", "csv", path)
    assert done.returncode == 0 and done.stdout == (OPENGL_TRUTH / f"{name}.csv").read_text()


def test_every_swap_is_a_frame(tmp_path):
    report = recorded_frames(tmp_path, "found", 12)
    found = list(csv.DictReader(prof("stats", "-q", "-r", "frames", "-f", "csv", report.path).stdout.splitlines()))
    assert [int(row["Frame"]) for row in found] == list(range(1, 13))
    assert all(int(row["CPU (ns)"]) + int(row["Present (ns)"]) == int(row["Duration (ns)"]) for row in found)
    assert all(int(row["GPU (ns)"]) > 0 for row in found[:-1]) and {row["Call"] for row in found} == {"eglSwapBuffers"}


@pytest.mark.parametrize("options, frames_recorded", [(["--start-frame-index=11", "--duration-frames=5"], 5),
                                                      (["--duration-frames=7"], 7), (["--start-frame-index=95"], 6)])
def test_some_frames(tmp_path, options, frames_recorded):
    found = counts(recorded_frames(tmp_path, "linked", 100, options=[*options, "--capture-range-end=stop"]))
    assert found["eglSwapBuffers"] == found["glDrawArrays"] == frames_recorded


def test_the_program_ends_after_its_frames(tmp_path):
    """As with other capture ranges, unless --capture-range-end says something else."""
    path = tmp_path / "gl.db"
    command = frames("linked", 1000000)
    plain(*frames("linked", 1))
    done = prof("profile", "-t", "opengl", "-s", "none", "-f", "true", "--duration-frames=60", "-o", path, "--", *command)
    assert done.returncode == 0 and "EXPECT" not in done.stdout
    assert counts(Report(path))["eglSwapBuffers"] == 60


def test_fewer_frames_than_wanted_are_named(tmp_path):
    plain(*frames("linked", 1))
    done = prof("profile", "-t", "opengl", "-s", "none", "-f", "true", "--start-frame-index=50", "-o", tmp_path / "gl.db", "--",
                *frames("linked", 5))
    assert "--start-frame-index 50" in done.stderr
    assert prof("profile", "-c", "nvtx", "-p", "x", "--duration-frames=9", "true").returncode == 2
