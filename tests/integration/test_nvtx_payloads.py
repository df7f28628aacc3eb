"""Payloads, counters, deferred events and clocks of NVTX: rows equal what the programs print."""
import json
import struct
import sys

import pytest
from profiling import CATEGORY, MARK, PUSH_POP, START_END, prof, profile, program, source_of


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("schemas"), program("nvtx_schemas"))


def test_every_type_of_payload(schemas):
    expected = schemas.expected()["cases"]
    rows = {row["name"]: row["jsonText"] for row in schemas.nvtx(MARK, "schemas")}
    assert rows.keys() == expected.keys()
    for name, values in expected.items():
        found = rows[name] and json.loads(rows[name])
        assert found == values and (found is None or list(found) == list(values)), name


def test_schemas_are_in_the_tables_of_nsys(schemas):
    shape = schemas.query("SELECT * FROM NVTX_PAYLOAD_SCHEMAS WHERE name = 'Shape'")
    assert [(row["type"], row["numEntries"], row["payloadSize"]) for row in shape] == [(1, 5, 24)]
    entries = schemas.query("SELECT e.* FROM NVTX_PAYLOAD_SCHEMA_ENTRIES e JOIN NVTX_PAYLOAD_SCHEMAS s "
                            "USING (domainId, schemaId) WHERE s.name = 'Shape' ORDER BY idx")
    # As in nsys's reports 0 is NULL.
    assert [(row["name"], row["description"], row["arrayOrUnionDetail"], row["offset"]) for row in entries] == [
        ("kind", "what it is", None, None), ("corner", None, None, 2), ("points", None, 2, 6),
        ("unnamed value", None, None, 16), ("mask", None, None, 20)]
    values = schemas.query("SELECT v.name, value, isFlag, size FROM NVTX_PAYLOAD_ENUM_ENTRIES v JOIN "
                           "NVTX_PAYLOAD_ENUMS e USING (domainId, schemaId) WHERE e.name = 'Mask' ORDER BY idx")
    assert [tuple(row) for row in values] == [("read", 1, 1, 4), ("write", 2, 1, 4), ("run", 4, 1, 4)]


def test_the_bytes_of_a_payload(schemas):
    row = schemas.query("SELECT binaryData FROM NVTX_EVENTS WHERE text = 'length in another payload'")[0]
    found, at = [], 0
    while at < len(row["binaryData"]):
        schema, size, _address = struct.unpack_from("<QQQ", row["binaryData"], at)
        found.append((schema, row["binaryData"][at + 24:at + 24 + size]))
        at += 24 + (size + 7) // 8 * 8
    assert found[0][0] >= 1 << 32 and found[0][1] == struct.pack("<3i", 4, 5, 6)
    assert found[1:] == [(18, struct.pack("<Q", 2))]


@pytest.fixture(scope="module")
def counters(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("counters"), program("nvtx_counters"))


def samples(report):
    """Samples by counter: times, and values by field."""
    names = {(row["typeId"], row["fieldIdx"]): row["value"] for row in report.query(
        "SELECT typeId, fieldIdx, value FROM GENERIC_EVENT_TYPE_FIELDS JOIN StringIds ON id = fieldNameId")}
    types = {row["typeId"]: row["value"] for row in report.query(
        "SELECT typeId, value FROM GENERIC_EVENT_TYPES JOIN StringIds ON id = nameId")}
    found = {}
    for event in report.query("SELECT * FROM GENERIC_EVENTS ORDER BY genericEventId"):
        values = {names[event["typeId"], row["fieldIdx"]]:
                  next(row[column] for column in ("intVal", "uintVal", "floatVal", "doubleVal")
                       if row[column] is not None)
                  for row in report.query("SELECT * FROM GENERIC_EVENT_DATA WHERE genericEventId = "
                                          f"{event['genericEventId']} ORDER BY fieldIdx")}
        found.setdefault(types[event["typeId"]], []).append((event["timestamp"], values))
    return found


def test_counters(counters):
    found = samples(counters)
    assert {name: [values for _, values in rows] for name, rows in found.items()} == {
        # the last three without a value: unchanged, zero, not available
        "memory": [{"memory": -5}, {"memory": 5}, {"memory": 15}, {"memory": 15}, {"memory": 0}, {}],
        "loss": [{"loss": 0.75}, {"loss": 0.5}],
        "disk": [{"reads": 7, "rate": 1.5}, {"reads": 8, "rate": 2.5}, {"reads": 9, "rate": 3.5}],
        "steady": [{"steady": -1}, {"steady": -2}, {"steady": -3}]}
    for name in ("memory", "loss", "disk"):
        times = [time for time, _ in found[name]]
        assert times == sorted(times)


def test_what_a_counter_is(counters):
    data = [json.loads(row["data"]) for row in counters.query("SELECT data FROM GENERIC_EVENT_TYPES")]
    memory = next(one for one in data if one["counter"] == "memory")
    assert memory.items() >= {"description": "described", "scope": "GPU[0]/engine", "unit": "MB",
                              "values": "absolute", "interpolation": "linear", "max": 100}.items()
    fields = counters.query("SELECT value, size, type, offset, unit FROM GENERIC_EVENT_TYPE_FIELDS "
                            "JOIN StringIds ON id = fieldNameId ORDER BY typeId, fieldIdx")
    assert [(row["value"], row["size"], row["type"], row["offset"]) for row in fields] == [
        ("memory", 8, 0, 0), ("loss", 8, 3, 0), ("reads", 4, 1, 0), ("rate", 4, 2, 4), ("steady", 2, 0, 0)]
    assert fields[0]["unit"] == "MB"
    scopes = counters.query("SELECT path FROM NVTX_SCOPES ORDER BY scopeId")
    assert [row["path"] for row in scopes] == ["GPU[0]", "engine"]


def test_times_of_clocks_of_the_program(counters):
    """A system clock, and one that only the program has, which prof reads itself."""
    expected = counters.expected()
    ranges = {row["name"]: row for row in counters.nvtx(domain="counters")}
    one, two = ranges["deferred one"], ranges["deferred two"]
    assert (one["end"] - one["start"], two["start"] - one["start"], two["end"] - two["start"]) == (5000, 6000, 3000)
    assert one["eventType"] == two["eventType"] == PUSH_POP and one["color"] == 0xff112233
    own = ranges["own clock"]
    assert own["eventType"] == START_END and own["end"] - own["start"] == 7000
    # Time 0 of the report on CLOCK_MONOTONIC_RAW follows from the first range. The own clock has ticks of 1 us.
    zero = expected["raw"] - one["start"]
    assert abs(own["start"] + zero - expected["ticks"]) < 100_000_000
    steady = [time for time, _ in samples(counters)["steady"]]
    assert [time - steady[0] for time in steady] == [0, 1000, 2000]
    assert expected["before"] - zero < steady[0] < expected["after"] - zero


def test_attributes_of_events_in_payloads(counters):
    push = next(row for row in counters.nvtx(PUSH_POP, "counters") if row["name"] == "outer by payload")
    assert push["category"] == 5 and push["color"] == 0xff0000ff
    assert json.loads(push["jsonText"]) == {"bytes": 100, "value": -1}  # of the push, of the pop
    mark = counters.nvtx(MARK, "counters")[0]
    assert mark["name"] == "inner by payload" and json.loads(mark["jsonText"]) == {"bytes": 200}
    # What the end says counts.
    started = next(row for row in counters.nvtx(START_END, "counters") if row["name"] == "outer by payload")
    assert started["color"] == 0xff0000ff and json.loads(started["jsonText"]) == {"bytes": 200, "bytes (2)": 100}
    assert [row["name"] for row in counters.nvtx(CATEGORY)] == ["io"]


def test_synchronization_objects(counters):
    rows = [row for row in counters.nvtx(START_END, "counters") if "spin lock" in row["name"]]
    assert [row["name"] for row in rows] == ["try to acquire spin lock", "acquire spin lock", "hold spin lock"]
    assert rows[0]["end"] <= rows[1]["start"] and rows[1]["end"] == rows[2]["start"] <= rows[2]["end"]


def test_ranges_that_never_ended_are_open(tmp_path):
    report = profile(tmp_path, program("nvtx_zoo"))
    rows = [row for row in report.nvtx() if row["isOpen"]]
    assert {row["name"] for row in rows} == {"never popped", "never ended"}
    trace = json.loads(prof("export", "-t", "chrome", "-o", "-", report.path).stdout)
    assert {event["name"] for event in trace["traceEvents"] if event.get("args", {}).get("open")} == {
        "never popped", "never ended"}


def test_payloads_in_traces_and_statistics(tmp_path):
    report = profile(tmp_path, program("nvtx_nccl"))
    trace = json.loads(prof("export", "-t", "chrome", "-o", "-", report.path).stdout)
    shown = [event["args"]["payload"] for event in trace["traceEvents"] if "payload" in event.get("args", {})]
    assert [one.get("Message size [bytes]") for one in shown] == [None] + 3 * [1024] + 3 * [1 << 20] + [4096, 8192, None]
    perfetto = tmp_path / "out.pftrace"
    assert prof("export", "-t", "perfetto", "-f", "true", "-o", perfetto, report.path).returncode == 0
    assert b'"Message size [bytes]":4096,"Root":1' in perfetto.read_bytes()
    table = prof("stats", "-q", "-r", "nccl_bandwidth", "-f", "csv", "-o", "-", report.path).stdout
    assert ",3,1024,,,,,,2,AllReduce,0xfedcba9876543210" in table, table
    table = prof("stats", "-q", "-r", "nvtx_payload_sum", "-f", "csv", "-o", "-", report.path).stdout
    assert "Message size [bytes],PushPop,NCCL:ncclBroadcast" in table and "communicator" not in table, table


def test_ranges_of_nccl_have_ends_and_payloads(tmp_path):
    report = profile(tmp_path, program("nvtx_nccl"))
    expected = report.expected()
    rows = report.nvtx(PUSH_POP, "NCCL")
    assert not [text for text in report.diagnostics() if "never ended" in text]
    names = [row["name"] for row in rows]
    assert names == ["ncclCommInitRankConfig"] + ["ncclAllReduce"] * 2 * expected["rounds"] + [
        "ncclBroadcast", "ncclSend", "ncclCommFinalize"]
    payloads = [json.loads(row["jsonText"]) for row in rows]
    assert all(one["NCCL communicator ID"] == expected["communicator"] for one in payloads)
    assert payloads[0].items() >= {"No. of ranks": 2, "Rank": 0, "CUDA device": 0}.items()
    reductions = [(one["Message size [bytes]"], one["Reduction operation"]) for one in payloads[1:7]]
    assert reductions == [(1024, "Sum"), (1024, "Max"), (1024, "Sum"), (1 << 20, "Sum"), (1 << 20, "Max"), (1 << 20, "Sum")]
    assert all(after["start"] >= before["end"] for before, after in zip(rows, rows[1:]))
    assert report.value("SELECT COUNT(*) FROM NVTX_PAYLOAD_SCHEMAS WHERE schemaId BETWEEN 16777216 AND 16777220") == 5


@pytest.fixture(scope="module")
def python():
    pytest.importorskip("nvtx")
    pytest.importorskip("numpy")
    return sys.executable


def test_python(python, tmp_path):
    report = profile(tmp_path, python, source_of("nvtx_payloads.py"))
    expected = report.expected()
    rows = {row["name"]: row["jsonText"] for row in report.nvtx(domain="python") if row["jsonText"]}
    assert {name: json.loads(text) for name, text in rows.items()} == expected["payloads"]
    assert {name: [values for _, values in found] for name, found in samples(report).items()} == expected["counters"]


def test_a_fork_child_knows_the_schemas_of_its_parent(python, tmp_path):
    report = profile(tmp_path, python, source_of("nvtx_payloads.py"), "fork")
    rows = [row for row in report.nvtx(domain="python") if row["name"] == "in child"]
    assert [json.loads(row["jsonText"]) for row in rows] == [{"size": 2, "data": [8, 9]}]
    assert rows[0]["pid"] == report.expected()["child"]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("memory"), program("nvtx_memory"))


def test_heaps_and_regions_of_memory(memory):
    said = memory.expected()
    assert said["permissions"] is False
    pool, other = said["pool"], said["other"]
    rows = memory.query("SELECT m.*, value AS name FROM PROF_NVTX_MEMORY m LEFT JOIN StringIds ON id = nameId "
                        "ORDER BY start, heapId, regionId, address")
    heaps = {row["heapId"]: row for row in rows if row["regionId"] is None}
    regions = [row for row in rows if row["regionId"] is not None]
    assert [(row["name"], row["address"], row["size"], row["category"], row["heapUsage"], row["end"] is None)
            for row in heaps.values()] == [("pool", pool, 1 << 16, 7, 1, True), (None, pool, 1 << 16, 7, 2, False)]
    first, second = heaps
    assert sorted((row["heapId"], row["address"] - (pool if row["heapId"] else other), row["size"], row["name"],
                   row["category"], row["end"] is None) for row in regions) == [
        (0, 0, 256, None, None, True),
        (first, 0, 1000, None, None, False), (first, 0, 4000, None, None, True),
        (first, 1000, 2000, "weights", 9, False), (first, 3000, 500, None, None, False),
        (second, 3000, 300, None, None, False), (second, 3000, 300, None, None, False)]
    resized = [row for row in regions if row["address"] == pool and row["heapId"] == first]
    assert resized[0]["regionId"] == resized[1]["regionId"] and resized[0]["end"] == resized[1]["start"]
    assert {row["memoryType"] for row in rows} == {1}


def test_memory_in_use(memory):
    found = samples(memory)
    assert {name: [values["in regions"] for _, values in rows] for name, rows in found.items()} == {
        "memory of pool": [1000, 3000, 3500, 6500, 4500, 4000],
        "memory of heap 2": [300, 0, 300, 0], "memory of whole process": [256]}
    table = prof("stats", "-q", "-r", "nvtx_mem_sum", "-f", "csv", "-o", "-", memory.path).stdout.splitlines()
    cells = [line.split(",") for line in table if line]
    assert [row[:1] + row[2:6] + row[7:] for row in cells[1:]] == [
        ["6500", "3", "3500", "4000", "65536", "memory:pool"], ["300", "2", "600", "0", "65536", "heap 2"],
        ["256", "1", "256", "256", "", "whole process"]]
