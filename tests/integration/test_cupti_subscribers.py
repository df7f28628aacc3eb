"""prof as one of several subscribers of CUPTI (--cupti-subscribers=several), beside libraries that use CUPTI, without
a GPU. Those that call functions without a subscriber get one of CUPTI by prof."""
import os
from collections import Counter

import pytest
from cuda_app import run
from test_cupti_clients import (
    CLIENTS, EXTERNAL, GROUPS, KERNEL, LAUNCH, RUNTIME, SECOND_SUBSCRIBER, SERIAL_KERNEL, STYLES, WORK, alone, kernels,
    own_kernels, pytestmark, relative)

VERSIONS = ["v134", "v135"]
SEVERAL = "--cupti-subscribers=several"
ONE_OF_SEVERAL = "prof is one of several subscribers of CUPTI"
THE_ONLY_ONE = "CUPTI does not allow several subscribers here"


def beside(tmp_path, *scenario, fake="v135,strict", options=(), mode=ONE_OF_SEVERAL, **more):
    report = run(tmp_path, command=[CLIENTS, *scenario], fake=fake, options=[SEVERAL, *options], **more)
    assert [text for text in report.diagnostics() if mode in text]
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    return report, report.expected()


def same(clients, expected):
    for client, alone_client in zip(clients, expected):
        assert relative(client) == relative(alone_client) and kernels(client)
        assert client["error"] == alone_client["error"] == 0
        assert client["callbacks"] == alone_client["callbacks"]
        assert client["dropped"] == client["foreign_words"] == 0 and client["buffers"] <= 1


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("order", ["early", "late"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_gets_what_it_gets_alone(tmp_path, name, order, version):
    words = ["styles", order, name]
    report, clients = beside(tmp_path, *words, fake=f"{version},strict")
    same(clients, alone(*words, fake=version))
    assert Counter(own_kernels(report)) == WORK


@pytest.mark.parametrize("names", GROUPS)
@pytest.mark.parametrize("order", ["early", "late"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("reverse", [False, True])
def test_clients_together(tmp_path, names, order, version, reverse):
    names = names[::-1] if reverse else names
    report, clients = beside(tmp_path, "styles", order, *names, fake=f"{version},strict")
    same(clients, [alone("styles", order, name, fake=version)[0] for name in names])
    assert Counter(own_kernels(report)) == WORK


@pytest.mark.parametrize("scenario", ["kineto", "kineto_before_cuda"])
def test_the_profiler_of_pytorch(tmp_path, scenario):
    report, (client,) = beside(tmp_path, scenario)
    expected, = alone(scenario, fake="v135")
    assert relative(client) == relative(expected)
    assert client["callbacks"] == {} and client["dropped"] == client["buffers"] == 0
    durations = [record["duration"] / 3 for record in client["records"] if record["kind"] == KERNEL]
    assert durations and all(abs(duration - 5000) < 500 for duration in durations)  # 3 ticks in a nanosecond
    assert Counter(own_kernels(report)) == {
        "_Z6beforev": 10, "_Z5afterv": 10, "_Z5saxpyfPfi": 30, "_Z6reducePf": 30}
    ids = report.query("SELECT DISTINCT c.value, externalKind, externalId FROM PROF_CUDA_EXTERNAL_IDS e "
                       "JOIN StringIds c ON c.id = e.clientId")
    assert sorted(map(tuple, ids)) == sorted(
        ("fake_client_0.so", kind, first + i) for kind, first in ((3, 1), (4, 100)) for i in range(10))


def test_the_clock_of_a_client_that_disabled_everything_is_not_read(tmp_path):
    _, (leaves, stays) = beside(tmp_path, "clock_goes")
    assert leaves["readings"]["used"] > 0 and leaves["readings"]["later"] == 0
    assert kernels(leaves) == ["first"] and kernels(stays) == ["first", "second"]
    durations = [record["duration"] for client in (leaves, stays) for record in client["records"]]
    assert abs(durations[0] - 15000) < 1500 and all(abs(duration - 5000) <= 1 for duration in durations[1:])


def rows_without_clients(tmp_path, *options, fake="v135,strict"):
    """What prof records of a program that uses everything, by table: counts of rows, and kernels and calls as such."""
    report = run(tmp_path, "work", fake=fake, options=options)
    tables = [name for name in report.tables() if name.startswith(("CUPTI_", "TARGET_INFO_CUDA", "CUDA_", "PROF_CUDA"))]
    counts = {name: report.value(f"SELECT count(*) FROM {name}") for name in tables}
    work = {name: sorted(map(tuple, report.query(f"SELECT {columns} FROM {name}"))) for name, columns in {
        "CUPTI_ACTIVITY_KIND_KERNEL":
            "end - start, deviceId, contextId, streamId, correlationId, gridX, gridY, gridZ, blockX, blockY, blockZ, "
            "graphNodeId, registersPerThread, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, "
            "localMemoryTotal, sharedMemoryExecuted, cacheConfig, launchType, gridId IS NULL",
        "CUPTI_ACTIVITY_KIND_RUNTIME":
            "(SELECT value FROM StringIds WHERE id = nameId), correlationId, returnValue, eventClass",
        "CUPTI_ACTIVITY_KIND_MEMCPY":
            "end - start, bytes, copyKind, deviceId, contextId, streamId, correlationId, srcKind, dstKind, graphNodeId",
        "CUPTI_ACTIVITY_KIND_MEMSET":
            "end - start, bytes, value, memKind, deviceId, contextId, streamId, correlationId, graphNodeId"}.items()}
    assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE end < start") == 0
    return counts, work


@pytest.mark.parametrize("fake", ["only_selections", "only_selections,wide_ids", "no_selections"])
@pytest.mark.parametrize("options", [[], ["--cuda-graph-trace=node"]])
def test_rows_are_the_same_with_one_and_with_several_subscribers(tmp_path, fake, options):
    """Beside others prof selects fields of kernels, copies and fills, wherever CUPTI places them."""
    (counts, work), (expected_counts, expected_work) = (
        rows_without_clients(tmp_path, SEVERAL, *options, fake=f"v135,strict,{fake}"),
        rows_without_clients(tmp_path, *options))
    assert counts == expected_counts
    assert work == expected_work


def test_each_client_gets_what_it_asked_for(tmp_path):
    report, (a, b, c) = beside(tmp_path, "several")
    assert own_kernels(report) == ["first", "second", "third", "fourth", "fifth"]
    assert kernels(a) == ["first", "second"] and kernels(b) == [] and kernels(c) == ["second", "third", "fourth"]
    assert {r["kind"] for r in c["records"]} == {SERIAL_KERNEL, RUNTIME, EXTERNAL}
    external = lambda client: [tuple(r["external"]) for r in client["records"] if r["kind"] == EXTERNAL]
    assert external(b) == [(3, 7)] * 2 and external(c) == [(3, 9)] * 3
    assert all(r.get("in_time", True) for client in (a, b, c) for r in client["records"])
    # Their words are theirs, although CUPTI has one for all, and they do not change the times of calls.
    assert b["callbacks"] == dict.fromkeys(LAUNCH, 5)
    assert c["callbacks"] == {"driver enter cuLaunchKernel": 4, "driver exit cuLaunchKernel": 4}
    assert a["foreign_words"] == b["foreign_words"] == c["foreign_words"] == 0
    calls = report.query("SELECT end - start AS took FROM CUPTI_ACTIVITY_KIND_RUNTIME")
    assert calls and all(0 <= call["took"] < 10**10 for call in calls)


@pytest.mark.parametrize("scenario, again", [("unsubscribes", ["first", "second", "third", "fourth"]),
                                             ("finalizes", ["fourth"])])
def test_a_client_ends_in_a_callback(tmp_path, scenario, again):
    report, (a, b, last) = beside(tmp_path, scenario)
    assert a["callbacks"] == dict.fromkeys(LAUNCH, 2) and b["callbacks"] == dict.fromkeys(LAUNCH, 3)
    assert kernels(b) == ["first", "second", "third"] and kernels(last)[-len(again):] == again
    assert own_kernels(report) == ["first", "second", "third", "fourth"]


def test_a_fork_child_does_not_touch_cupti(tmp_path):
    report, (client,) = beside(tmp_path, "forks")
    assert client["child"] == 0 and kernels(client) == ["first", "second"]
    assert own_kernels(report) == ["first", "second"]


def test_a_client_without_buffers_drops_its_own_records(tmp_path):
    report, (a, b) = beside(tmp_path, "stingy")
    assert a["records"] == [] and a["dropped"] == 50
    assert len(b["records"]) == len(own_kernels(report)) == 50 and b["dropped"] == 0


def test_a_client_has_periodic_flushes(tmp_path):
    """CUPTI makes none for several subscribers."""
    _, (a, b) = beside(tmp_path, "periodic")
    assert kernels(a) == kernels(b) == ["first"]


def test_cupti_has_the_time_of_the_client(tmp_path):
    report = run(tmp_path, command=[CLIENTS, "timestamps"], fake="v135,strict", options=[SEVERAL])
    assert report.expected() == [{"between": True}] * 3


def test_each_client_has_its_arrays(tmp_path):
    report = run(tmp_path, command=[CLIENTS, "links"], fake="v135,strict", options=[SEVERAL])
    for client in report.expected():
        ports = [record["ports"] for record in client["records"]]
        assert ports and all(one == [[1, 2], [3, 4]] for one in ports)


def test_a_client_gets_no_nodes_of_graphs_unless_prof_records_them(tmp_path):
    """All subscribers get nodes, or all get whole launches."""
    report, (client,) = beside(tmp_path, "graphs")
    assert kernels(client) == [] and [text for text in report.diagnostics() if "--cuda-graph-trace=node" in text]
    assert len(report.query("SELECT * FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) == 9
    report, (client,) = beside(tmp_path, "graphs", options=["--cuda-graph-trace=node"])
    assert kernels(client) == ["_Z9node_workPf"] * 6 and len(own_kernels(report)) == 18


@pytest.mark.parametrize("scenario", ["graphs_of_a_library", "graphs_of_an_early_client"])
@pytest.mark.parametrize("version", VERSIONS)
def test_nodes_of_graphs_for_a_client_that_is_known_early(tmp_path, scenario, version):
    """It imports CUPTI's functions, or has called one, when the choice is made. prof makes the launches then."""
    report, (client,) = beside(tmp_path, scenario, fake=f"{version},strict")
    assert kernels(client) == ["_Z9node_workPf"] * 6
    launches = report.query("SELECT correlationId, graphExecId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    assert len({launch[0] for launch in launches}) == 9 and {launch[1] for launch in launches} == {3}
    assert "CUPTI_ACTIVITY_KIND_KERNEL" not in report.tables()


def test_subscriptions(tmp_path):
    report = run(tmp_path, command=[CLIENTS, "subscribe_again"], fake="v135,strict", options=[SEVERAL])
    client, = report.expected()
    assert client["results"] == [0, SECOND_SUBSCRIBER, 0]


def test_clients_come_and_go_while_threads_work(tmp_path):
    report, clients = beside(tmp_path, "crowd")
    for client in clients:
        assert client["records"] > 0 and client["dropped"] == client["foreign_words"] == 0
        assert set(client["callbacks"]) == LAUNCH and client["buffers"] <= 1
    launches = report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                            "WHERE s.value LIKE 'cudaLaunchKernel%'")
    assert len(own_kernels(report)) == launches


@pytest.mark.parametrize("fake", [
    "v133", "v135,one_subscriber", "v135,fail=cuptiActivitySetAttribute_v2", "v135,fail=cuptiActivityGetAttribute_v2"])
def test_where_several_are_not_possible_prof_is_the_only_one(tmp_path, fake):
    """That is decided before anything is enabled, because CUPTI does not let a process change."""
    report, (client,) = beside(tmp_path, "styles", "late", "kineto", fake=f"{fake},strict", mode=THE_ONLY_ONE)
    same([client], alone("styles", "late", "kineto", fake="v135"))
    assert Counter(own_kernels(report)) == WORK


def test_alone_stays_alone(tmp_path):
    report = run(tmp_path, command=[CLIENTS, "styles", "late", "kineto"], fake="v135,strict",
                 options=[SEVERAL, "--cuda-injection=alone"])
    client, = report.expected()
    assert client["error"] == SECOND_SUBSCRIBER and Counter(own_kernels(report)) == WORK


@pytest.mark.parametrize("version", VERSIONS)
def test_random_calls_have_the_documented_answers(tmp_path, version):
    """PROF_RANDOM_CALLS makes more sequences. The fake ends the program at a handle that is not its own."""
    sequences = os.environ.get("PROF_RANDOM_CALLS", "500")
    report, (calls,) = beside(tmp_path, "random_calls", sequences, "1", "several", fake=f"{version},strict")
    assert calls["wrong"] == {} and calls["calls"] > 5 * int(sequences)
    assert own_kernels(report).count("_Z4lastv") == 1
