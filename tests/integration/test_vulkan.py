"""-t vulkan: calls, labels, pipelines and work on the GPU of Vulkan programs, with Mesa's driver for the CPU."""
import csv
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from profiling import BUILD, TRUTH, Report, prof, program, unpacked

DRIVER = Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
GRAPHICS = TRUTH / "graphics"
VALIDATION = Path("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
needs_driver = pytest.mark.skipif(
    not DRIVER.exists() or not (BUILD / "bin/programs/vk_zoo").exists() or not (BUILD / "bin/vulkan_layer").exists(),
    reason="needs mesa-vulkan-drivers and libvulkan-dev")
# nsys records it if it takes long, which depends on the driver.
SOMETIMES = "vkCmdBindDescriptorSets"


def environment(**more):
    return {**os.environ, "VK_ICD_FILENAMES": str(DRIVER), "VK_DRIVER_FILES": str(DRIVER), **more}


def recorded(tmp_path, *command, options=("-t", "vulkan,vulkan-annotations"), env=None):
    path = tmp_path / "r.db"
    done = prof("profile", "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path, *options, "--", *command,
                env=env or environment())
    assert done.returncode == 0, done
    report = Report(path, done)
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    return report


def named(report, table, columns, where="1"):
    """Rows of a table with the texts of its ids."""
    texts = {row["id"]: row["value"] for row in report.query("SELECT * FROM StringIds")}
    found = report.query(f"SELECT {', '.join(columns)} FROM {table} WHERE {where} ORDER BY start, rowid")
    return [tuple(texts.get(row[column]) if column in ("nameId", "textId") else row[column] for column in columns)
            for row in found]


def calls(report):
    """What nsys's truth and prof's report have in common: no times, and numbers only of labels and submits."""
    rows = named(report, "VULKAN_API", ["eventClass", "nameId", "contextId", "correlationId", "endCorrelationId"])
    return [row[:3] + (row[3:] if row[4] is not None else ()) for row in rows if row[1] != SOMETIMES]


def complaints(text):
    return sorted(re.sub(r"0x[0-9a-f]+", "", line) for line in text.splitlines() if line.startswith("VUID"))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ["vulkan_api_sum", "vulkan_api_trace", "vulkan_marker_sum"])
def test_statistics_equal_those_of_nsys(tmp_path, number, name):
    report = unpacked(tmp_path / "vk.sqlite", GRAPHICS / f"vk_{number}.sqlite.gz")
    done = prof("stats", "-q", "-r", name, "-f", "csv", report)
    assert done.returncode == 0, done
    assert done.stdout == (GRAPHICS / f"vk_{number}__{name}.csv").read_text()


@needs_driver
def test_rows_equal_those_of_nsys(tmp_path):
    truth = Report(unpacked(tmp_path / "vk.sqlite", GRAPHICS / "vk_1.sqlite.gz"), None)
    report = recorded(tmp_path, program("vk_zoo"))
    assert calls(report) == calls(truth)
    labels = ["eventClass", "nameId", "correlationId", "endCorrelationId", "contextId", "color", "textId"]
    assert named(report, "VULKAN_DEBUG_API", labels) == named(truth, "VULKAN_DEBUG_API", labels)
    # Mesa's driver does not say how long stages took.
    for each, stages in ((report, 0), (truth, 1)):
        assert each.value("""SELECT count(*) FROM VULKAN_PIPELINE_CREATION_EVENTS p JOIN VULKAN_API a ON a.id = p.traceEventId
            JOIN StringIds n ON n.id = a.nameId
            WHERE p.flags & 1 AND p.duration > 0 AND n.value = 'vkCreateComputePipelines'""") == 1
        assert ("VULKAN_PIPELINE_STAGE_EVENTS" in each.tables()) == (stages == 1)
    assert [row["name"] for row in report.query("SELECT name FROM ENUM_VULKAN_PIPELINE_CREATION_FLAGS ORDER BY id")] == [
        row["name"] for row in truth.query("SELECT name FROM ENUM_VULKAN_PIPELINE_CREATION_FLAGS ORDER BY id")]
    assert report.value("""SELECT count(*) FROM VULKAN_API a JOIN StringIds s ON s.id = a.objectNameId
        JOIN StringIds n ON n.id = a.nameId WHERE s.value = 'zoo queue' AND n.value = 'vkQueueSubmit'""") == 4
    assert report.value("SELECT count(*) FROM VULKAN_API WHERE end < start") == 0


@needs_driver
def test_only_what_is_asked_for(tmp_path):
    report = recorded(tmp_path, program("vk_zoo"), options=("-t", "osrt"))
    assert not [table for table in report.tables() if "VULKAN" in table]
    report = recorded(tmp_path, program("vk_zoo"), options=("-t", "vulkan", "--vulkan-gpu-workload=none"))
    assert "VULKAN_API" in report.tables()
    assert not {"VULKAN_DEBUG_API", "VULKAN_WORKLOAD"} & set(report.tables())


@needs_driver
def test_labels_on_the_gpu(tmp_path):
    report = recorded(tmp_path, program("vk_zoo"))
    rows = named(report, "VULKAN_WORKLOAD", ["nameId", "eventClass", "textId", "color", "gpu"])
    assert sorted(set(rows), key=str) == [
        ("vkCmdBeginDebugUtilsLabelEXT", 54, "compute", 16744192, 0), ("vkCmdBeginDebugUtilsLabelEXT", 54, "copy", 16744192, 0),
        ("vkQueueSubmit", 54, None, None, 0)]
    assert len(rows) == 12
    # A label lies in its command buffer, and that after its submit.
    assert report.value("""SELECT count(*) FROM VULKAN_WORKLOAD l JOIN VULKAN_WORKLOAD b USING (correlationId)
        WHERE l.textId NOT NULL AND b.textId IS NULL AND l.start >= b.start AND l.end <= b.end""") == 8
    assert report.value("""SELECT count(*) FROM VULKAN_WORKLOAD w JOIN VULKAN_API a USING (correlationId)
        JOIN StringIds n ON n.id = a.nameId WHERE n.value = 'vkQueueSubmit' AND w.start >= a.start AND w.end > w.start""") == 12
    stats = prof("stats", "-q", "-r", "vulkan_gpu_marker_sum", "-f", "csv", report.path)
    assert sorted(line.split(",")[-1] for line in stats.stdout.splitlines()[1:] if line) == ["compute", "copy"]


@needs_driver
@pytest.mark.parametrize("workload", ["individual", "batch"])
@pytest.mark.parametrize("way", ["once", "again", "many"])
def test_gpu_time_of_submits(tmp_path, workload, way):
    """The sum is that of the program's own timestamps, and a little more. "again" submits the same command buffer."""
    count = 200
    for _ in range(5):  # a thread of the driver may lose its CPU between two timestamps
        report = recorded(tmp_path, program("vk_submits"), count, 200, way,
                          options=("-t", "vulkan", f"--vulkan-gpu-workload={workload}"))
        own = int(re.search(r"gpu (\d+) ns", report.done.stdout)[1])
        rows = report.query("SELECT end - start AS time, eventClass, correlationId FROM VULKAN_WORKLOAD")
        assert len(rows) == count and len({row["correlationId"] for row in rows}) == count
        time = sum(row["time"] for row in rows)
        assert own <= time * 1.0001
        if time <= own * 1.1:
            break
    else:
        pytest.fail(f"{time} ns, and {own} ns by the program's own timestamps")
    classes = [row["eventClass"] for row in rows]
    assert set(classes) == {54} if workload == "individual" and way != "again" else classes.count(93) >= count - 1


@needs_driver
@pytest.mark.skipif(not VALIDATION.exists(), reason="needs vulkan-validationlayers")
@pytest.mark.parametrize("workload", ["individual", "batch"])
@pytest.mark.parametrize("command", [("vk_zoo",), ("vk_submits", "20", "1", "again"), ("vk_submits", "20", "1", "many")])
def test_the_validation_layer_has_no_complaints_about_prof(tmp_path, workload, command):
    """It says the same of the program as without prof: that it leaves objects."""
    env = environment(VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation")
    words = [program(command[0]), *command[1:]]
    plain = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    report = recorded(tmp_path, *words, options=("-t", "vulkan-annotations", f"--vulkan-gpu-workload={workload}"), env=env)
    assert complaints(plain.stdout) and complaints(report.done.stdout + report.done.stderr) == complaints(plain.stdout)
    assert "vkQueueSubmit" in [row[0] for row in named(report, "VULKAN_API", ["nameId"])]


@needs_driver
def test_programs_behave_as_without_prof(tmp_path):
    """No driver, a layer that is missing, and an environment that the program itself has."""
    for more in ({"VK_ICD_FILENAMES": "/nowhere.json", "VK_DRIVER_FILES": "/nowhere.json"},
                 {"VK_INSTANCE_LAYERS": "VK_LAYER_that_is_missing"}):
        env = environment(**more)
        alone = prof("profile", "-t", "none", "-s", "none", "-f", "true", "-o", tmp_path / "a.db", program("vk_zoo"), env=env)
        traced = prof("profile", "-t", "vulkan", "-s", "none", "-f", "true", "-o", tmp_path / "b.db", program("vk_zoo"), env=env)
        assert (alone.returncode, alone.stdout) == (traced.returncode, traced.stdout), traced
        if "VK_ICD_FILENAMES" in more:
            assert any(text.startswith("Vulkan was traced, but no process made a Vulkan instance.")
                       for text in Report(tmp_path / "b.db", traced).diagnostics())
    done = prof("profile", "-t", "vulkan", "-s", "none", "-f", "true", "-o", tmp_path / "c.db", "sh", "-c",
                "echo $VK_ADD_LAYER_PATH $VK_INSTANCE_LAYERS", env=environment(VK_INSTANCE_LAYERS="a", VK_ADD_LAYER_PATH="/b"))
    assert done.stdout.split() == [f"/b:{BUILD}/bin/vulkan_layer", "a:VK_LAYER_PROF_trace"]


def test_programs_without_graphics(tmp_path):
    """The report says that it has none, and what Vulkan needs."""
    says = recorded(tmp_path, "true", options=("-t", "vulkan,opengl")).diagnostics()
    assert "Vulkan was traced, but no process made a Vulkan instance. That needs a loader (libvulkan.so.1) and a " \
           "driver (VK_DRIVER_FILES, VK_ICD_FILENAMES)." in says
    assert "OpenGL was traced, but no process called a function of OpenGL, EGL or GLX that prof records." in says


@needs_driver
@pytest.mark.parametrize("function", ["vkCreateInstance", "vkCreateDevice", "vkQueueSubmit"])
@pytest.mark.parametrize("place", ["above", "below"])
def test_a_layer_that_fails(tmp_path, function, place):
    """Also if the device is lost. The loader takes layers in the order of their folders."""
    library = Path(program("libvk_failing_layer.so"))
    manifest = {"file_format_version": "1.2.0", "layer": {
        "name": "VK_LAYER_TEST_failing", "type": "GLOBAL", "library_path": str(library), "api_version": "1.3.0",
        "implementation_version": "1", "description": "fails"}}
    (tmp_path / "failing.json").write_text(json.dumps(manifest))
    env = environment(VK_ADD_LAYER_PATH=str(tmp_path), FAIL_IN=function, VK_INSTANCE_LAYERS="VK_LAYER_TEST_failing")
    words = [program("vk_submits"), "10", "1"]
    alone = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert alone.returncode == 2 and alone.stderr.startswith(f"{function}: -"), alone
    if place == "below":
        env["VK_ADD_LAYER_PATH"] = f"{BUILD}/bin/vulkan_layer:{tmp_path}"
    traced = prof("profile", "-t", "vulkan", "-s", "none", "-f", "true", "-o", tmp_path / "r.db", *words, env=env)
    assert (traced.returncode, traced.stdout) == (2, alone.stdout) and alone.stderr in traced.stderr, traced
    report = Report(tmp_path / "r.db", traced)
    names = [row[0] for row in named(report, "VULKAN_API", ["nameId"])] if "VULKAN_API" in report.tables() else []
    submits = {"above": 2, "below": 3}[place]  # a call that fails does not get to what is below
    lost = [text for text in report.diagnostics() if "VK_ERROR_DEVICE_LOST" in text]
    assert len(lost) == (1 if function == "vkQueueSubmit" and place == "below" else 0), lost
    assert names.count("vkQueueSubmit") == (submits if function == "vkQueueSubmit" else 0)


@needs_driver
def test_memory_by_heap(tmp_path):
    report = recorded(tmp_path, program("vk_memory"))
    expected = [tuple(map(int, found)) for found in re.findall(
        r"^heap (\d+) allocations (\d+) frees (\d+) allocated (\d+) peak (\d+) left (\d+)$", report.done.stdout, re.M)]
    done = prof("stats", "-q", "-r", "vulkan_memory", "-f", "csv", report.path)
    rows = [{key: int(value) for key, value in row.items() if key != "Heap Kind"}
            for row in csv.DictReader(done.stdout.splitlines())]
    assert expected and expected == [
        tuple(row[name] for name in ("Heap", "Allocations", "Frees", "Allocated (bytes)", "Peak (bytes)", "Never Freed (bytes)"))
        for row in sorted(rows, key=lambda row: row["Heap"])], done
    mega = 1 << 20
    operations = report.query("""SELECT value AS name, m.* FROM VULKAN_MEMORY_OPERATION m JOIN VULKAN_API a ON a.id = traceEventId
        JOIN StringIds s ON s.id = nameId ORDER BY a.start, m.id""")
    big = next(row["objectHandle"] for row in operations if row["memorySize"] == 8 * mega)
    of_big = [row for row in operations if row["objectHandle"] == big and row["name"] != "vkAllocateMemory"]
    assert [(row["name"], row["rangeStart"], row["rangeEnd"], row["memoryOffset"]) for row in of_big] == [
        ("vkMapMemory", mega, 4 * mega, None), ("vkMapMemory", mega, 8 * mega, None),
        ("vkBindBufferMemory2", None, None, 0), ("vkBindBufferMemory2", None, None, 4 * mega)]
    assert len({row["bindTargetHandle"] for row in of_big if row["memoryOffset"] is not None}) == 2
    assert report.value("""SELECT count(*) FROM VULKAN_MEMORY_TYPES t JOIN ENUM_VULKAN_MEMORY_PROPERTY_FLAGS p
        ON t.memoryProperty & p.id WHERE p.label = 'Device local'""") > 0


@needs_driver
def test_too_little_memory_is_said(tmp_path):
    words = [program("vk_memory"), "huge"]
    alone = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False)
    assert alone.returncode == 2 and "vkAllocateMemory: -2" in alone.stderr, alone
    done = prof("profile", "-t", "vulkan", "-s", "none", "-f", "true", "-o", tmp_path / "r.db", *words, env=environment())
    assert (done.returncode, done.stdout) == (2, alone.stdout) and alone.stderr in done.stderr, done
    texts = Report(tmp_path / "r.db", done).diagnostics()
    assert len([text for text in texts if "VK_ERROR_OUT_OF_DEVICE_MEMORY" in text]) == 1, texts


@needs_driver
def test_calls_by_the_ten_thousand(tmp_path):
    """The program of tests/bench/vulkan_calls.py."""
    report = recorded(tmp_path, program("vk_price"), options=("-t", "vulkan", "--vulkan-gpu-workload=batch"))
    assert re.findall(r"^(\w+) [\d.]+$", report.done.stdout, re.M) == [
        "vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdDispatch", "vkQueueSubmit"]
    rows = Counter(row[0] for row in named(report, "VULKAN_API", ["nameId"]))
    assert (rows["vkCmdBindPipeline"], rows["vkCmdDispatch"], rows["vkQueueSubmit"]) == (200_000, 0, 2_000)
    assert report.value("SELECT count(*) FROM VULKAN_WORKLOAD WHERE eventClass = 93") == 2_000


def test_status_says_whether_vulkan_is_traced():
    status = json.loads(prof("status", "--json").stdout)["vulkan"]
    assert status["available"] == (BUILD / "bin/vulkan_layer").exists(), status
