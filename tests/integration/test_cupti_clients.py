"""Libraries that use CUPTI in a program that prof traces, without a GPU (tests/fake_cupti/clients)."""
import json
import os
import subprocess
from collections import Counter

import pytest
from cuda_app import FAKES, run
from profiling import BUILD

CLIENTS = FAKES / "fake_cupti_clients"
pytestmark = pytest.mark.skipif(not CLIENTS.exists(), reason="built without the headers of CUDA")

KERNEL, SERIAL_KERNEL, RUNTIME, DRIVER, EXTERNAL = 10, 3, 5, 4, 39
SECOND_SUBSCRIBER = 39  # CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
NOT_SUPPORTED = 27
LAUNCH = {"enter cudaLaunchKernel_v7000", "exit cudaLaunchKernel_v7000"}


def alone(*scenario, fake=""):
    done = subprocess.run([CLIENTS, *scenario], stdout=subprocess.PIPE, text=True, timeout=60, check=True,
                          env={**os.environ, "FAKE_CUPTI": fake})
    return json.loads(done.stdout)


def under_prof(tmp_path, *scenario, **options):
    report = run(tmp_path, command=[CLIENTS, *scenario], **options)
    return report, report.expected()


def kernels(client):
    return [record["name"] for record in client["records"] if record["kind"] in (KERNEL, SERIAL_KERNEL)]


def own_kernels(report):
    return [name for name, in report.query(
        "SELECT value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.mangledName ORDER BY start")]


def relative(client):
    """The records of each call, in their order. prof makes calls too, so the numbers of calls differ."""
    calls = {}
    for record in client["records"]:
        assert record.get("in_time", True), record
        row = {key: value for key, value in record.items() if key not in ("correlation", "duration")}
        calls.setdefault(record.get("correlation"), []).append(json.dumps(row, sort_keys=True))
    return [sorted(call) for call in calls.values()]


@pytest.mark.parametrize("scenario", ["kineto", "kineto_before_cuda"])
@pytest.mark.parametrize("options", [{}, {"traces": "nvtx,osrt"}, {"options": ["--cuda-trace-all-apis=true"]}])
def test_a_client_gets_the_same_with_and_without_prof(tmp_path, scenario, options):
    report, (client,) = under_prof(tmp_path, scenario, **options)
    expected, = alone(scenario)
    assert relative(client) == relative(expected)
    assert client["callbacks"] == expected["callbacks"] == {}
    assert client["dropped"] == client["buffers"] == 0
    if "traces" in options:
        return
    # The client's clock ticks three times in a nanosecond.
    durations = [record["duration"] / 3 for record in client["records"] if record["kind"] == KERNEL]
    assert durations and all(abs(duration - 5000) < 500 for duration in durations)
    # prof records what it records without the client: also what was not profiled.
    assert Counter(own_kernels(report)) == {
        "_Z6beforev": 10, "_Z5afterv": 10, "_Z5saxpyfPfi": 30, "_Z6reducePf": 30}
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    assert [text for text in report.diagnostics() if "fake_client_0.so uses CUPTI too" in text]


def test_a_client_with_its_own_copy_of_cupti(tmp_path):
    """Without prof its copy is not the one that the driver knows."""
    report, (linked, own_copy) = under_prof(tmp_path, "two_copies")
    assert kernels(linked) == ["first"] and kernels(own_copy) == ["first", "second"]
    assert own_kernels(report) == ["first", "second"]
    assert len({text for text in report.diagnostics() if "uses CUPTI too" in text}) == 2
    linked, own_copy = alone("two_copies")
    assert kernels(linked) == ["first"] and kernels(own_copy) == []


def test_the_clock_of_a_client_that_disabled_everything_is_not_read(tmp_path):
    _, (leaves, stays) = under_prof(tmp_path, "clock_goes")
    assert leaves["readings"]["used"] > 0 and leaves["readings"]["later"] == 0
    assert kernels(leaves) == ["first"] and kernels(stays) == ["first", "second"]


def test_external_ids_are_rows(tmp_path):
    report, (client,) = under_prof(tmp_path, "kineto")
    found = report.query(
        "SELECT c.value, externalKind, externalId, n.value FROM PROF_CUDA_EXTERNAL_IDS e "
        "JOIN CUPTI_ACTIVITY_KIND_KERNEL k USING (correlationId, globalPid) "
        "JOIN StringIds c ON c.id = e.clientId JOIN StringIds n ON n.id = k.mangledName GROUP BY 1, 2, 3, 4")
    both = ("_Z5saxpyfPfi", "_Z6reducePf")
    assert sorted(map(tuple, found)) == sorted(
        [("fake_client_0.so", 3, i + 1, name) for i in range(10) for name in both]
        + [("fake_client_0.so", 4, 100 + i, name) for i in range(10) for name in both])


def test_each_client_gets_what_it_asked_for(tmp_path):
    report, (a, b, c) = under_prof(tmp_path, "several")
    assert own_kernels(report) == ["first", "second", "third", "fourth", "fifth"]
    assert kernels(a) == ["first", "second"] and {r["kind"] for r in a["records"]} == {KERNEL}
    assert kernels(b) == [] and kernels(c) == ["second", "third", "fourth"]
    assert {r["kind"] for r in c["records"]} == {SERIAL_KERNEL, RUNTIME, EXTERNAL}
    external = lambda client: [tuple(r["external"]) for r in client["records"] if r["kind"] == EXTERNAL]
    assert external(b) == [(3, 7)] * 2 and external(c) == [(3, 9)] * 3
    assert [r["kind"] for r in b["records"]].count(RUNTIME) == 2
    assert all(r.get("in_time", True) for client in (a, b, c) for r in client["records"])
    assert a["callbacks"] == {} and b["callbacks"] == dict.fromkeys(LAUNCH, 5)
    assert c["callbacks"] == {"driver enter cuLaunchKernel": 4, "driver exit cuLaunchKernel": 4}
    assert a["foreign_words"] == b["foreign_words"] == c["foreign_words"] == 0
    assert [client["buffer_size"] for client in (a, b, c)] == [1 << 20, 3_200_000, 3_200_000]
    assert [client["dropped"] for client in (a, b, c)] == [0, 0, 0]


def test_kernels_of_graphs_for_a_client_and_launches_for_prof(tmp_path):
    report, (client,) = under_prof(tmp_path, "graphs")
    assert kernels(client) == ["_Z9node_workPf"] * 6
    launches = report.query("SELECT correlationId, end - start, graphExecId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    assert [launch[2] for launch in launches] == [3] * 9
    made_of_nodes = {record["correlation"] for record in client["records"]}
    assert len(made_of_nodes) == 3
    for correlation, duration, _ in launches:
        # Those that CUPTI reports as a whole take 12 us, a node 5 us from when it is made.
        assert duration >= 4999 if correlation in made_of_nodes else abs(duration - 12000) <= 1
    assert made_of_nodes <= {launch[0] for launch in launches}
    assert "CUPTI_ACTIVITY_KIND_KERNEL" not in report.tables()


def test_a_client_without_buffers_drops_its_own_records(tmp_path):
    report, (a, b) = under_prof(tmp_path, "stingy")
    assert a["records"] == [] and a["dropped"] == 50
    assert len(b["records"]) == 50 and b["dropped"] == b["before_its_flush"] == 0
    assert len(own_kernels(report)) == 50
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


def test_a_period_of_flushes_is_of_one_client(tmp_path):
    _, (a, b) = under_prof(tmp_path, "periodic")
    assert kernels(a) == kernels(b) == ["first"] and b["before_its_flush"] == 0


def test_cupti_has_the_time_of_the_client(tmp_path):
    _, answers = under_prof(tmp_path, "timestamps")
    assert answers == [{"between": True}] * 3


VERSIONS = ["v133", "v134", "v135"]
STYLES = ["kineto", "proton", "xla", "mosaic", "monitor", "exclusive", "forcing", "finalizing"]
NO_FALLBACK = {"monitor", "exclusive"}  # they report the error
GROUPS = [
    ["kineto", "xla"], ["mosaic", "forcing"], ["exclusive", "finalizing"], ["proton", "kineto", "mosaic"],
    ["monitor", "kineto", "xla"]]
WORK = {"_Z6beforev": 3, "_Z5firstv": 3, "_Z6secondv": 3, "_Z5afterv": 3}


def check_styles(report, clients, expected, names):
    for name, client, alone_client in zip(names, clients, expected):
        if name in NO_FALLBACK:
            assert client["error"] == NOT_SUPPORTED and client["records"] == []
            continue
        assert relative(client) == relative(alone_client) and kernels(client)
        assert client["dropped"] == client["foreign_words"] == 0 and client["buffers"] <= 1
    assert Counter(own_kernels(report)) == WORK
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("order", ["early", "late"])
@pytest.mark.parametrize("version", VERSIONS)
def test_clients_of_today(tmp_path, name, order, version):
    """Under prof each gets what it gets alone. Those that try functions with a subscriber use the older ones."""
    words = ["styles", order, name]
    expected = alone(*words, fake=version)
    assert expected[0]["error"] == 0
    report, clients = under_prof(tmp_path, *words, fake=f"{version},strict")
    check_styles(report, clients, expected, [name])


@pytest.mark.parametrize("names", GROUPS)
@pytest.mark.parametrize("order", ["early", "late"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("reverse", [False, True])
def test_clients_of_today_together(tmp_path, names, order, version, reverse):
    """In both orders of arrival. CUPTI alone does not serve all of these together."""
    names = names[::-1] if reverse else names
    expected = [alone("styles", order, name, fake=version)[0] for name in names]
    report, clients = under_prof(tmp_path, "styles", order, *names, fake=f"{version},strict")
    check_styles(report, clients, expected, names)


def test_several_subscribers_without_prof():
    """The fake serves them as CUPTI does: all or none of them have to allow others."""
    first, second = alone("styles", "late", "xla", "mosaic", fake="v135")
    assert kernels(first) == kernels(second) == ["_Z5firstv", "_Z6secondv"] * 3
    first, second = alone("styles", "late", "xla", "exclusive", fake="v135")
    assert first["error"] == 0 and second["error"] == SECOND_SUBSCRIBER
    first, second = alone("styles", "late", "exclusive", "mosaic", fake="v135")
    assert (first["error"], second["error"]) == (0, SECOND_SUBSCRIBER)


def test_a_client_that_tries_calls_with_a_subscriber_first_while_prof_is_alone(tmp_path):
    report, (client,) = under_prof(tmp_path, "styles", "late", "xla", fake="v135",
                                   options=["--cuda-injection=alone"])
    assert client["error"] == SECOND_SUBSCRIBER and not client["records"]
    assert Counter(own_kernels(report)) == WORK


@pytest.mark.parametrize("version", VERSIONS)
def test_random_calls_have_the_documented_answers(tmp_path, version):
    """PROF_RANDOM_CALLS makes more sequences. The fake ends the program at a handle that is not its own."""
    sequences = os.environ.get("PROF_RANDOM_CALLS", "500")
    report, (calls,) = under_prof(tmp_path, "random_calls", sequences, "1", fake=f"{version},strict")
    assert calls["wrong"] == {} and calls["calls"] > 5 * int(sequences)
    assert own_kernels(report).count("_Z4lastv") == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_each_client_has_its_arrays(tmp_path, version):
    """From 13.2 on clients free the arrays in records of NVLinks."""
    _, clients = under_prof(tmp_path, "links", fake=version)
    for client in clients:
        ports = [record["ports"] for record in client["records"]]
        assert ports and all(one == [[1, 2], [3, 4]] for one in ports)


def test_kernels_of_graphs_that_cupti_does_not_record_any_more(tmp_path):
    """From 13.5 on nodes have no records once whole launches had, so prof keeps these and says so."""
    report, (client,) = under_prof(tmp_path, "graphs", fake="v135")
    assert kernels(client) == []
    assert len(report.query("SELECT * FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) == 9
    assert [text for text in report.diagnostics() if "--cuda-graph-trace=node" in text]
    report, (client,) = under_prof(tmp_path, "graphs", fake="v135", options=["--cuda-graph-trace=node"])
    assert kernels(client) == ["_Z9node_workPf"] * 6 and len(own_kernels(report)) == 18


@pytest.mark.parametrize("scenario", ["graphs_of_a_library", "graphs_of_an_early_client"])
@pytest.mark.parametrize("version", VERSIONS)
def test_kernels_of_graphs_for_a_client_that_is_known_early(tmp_path, scenario, version):
    """prof makes launches of their nodes if a library imports CUPTI's subscription or called CUPTI before cuInit."""
    report, (client,) = under_prof(tmp_path, scenario, fake=f"{version},strict")
    assert kernels(client) == kernels(alone(scenario, fake=version)[0]) == ["_Z9node_workPf"] * 6
    launches = report.query("SELECT correlationId, graphExecId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    assert len({launch[0] for launch in launches}) == 9 and {launch[1] for launch in launches} == {3}
    assert "CUPTI_ACTIVITY_KIND_KERNEL" not in report.tables()
    assert not [text for text in report.diagnostics() if "--cuda-graph-trace=node" in text]


def test_calls_with_a_subscriber_do_not_get_ours(tmp_path):
    """A subscription by the first version's parameters is served. CUPTI would crash on its handle."""
    _, (client,) = under_prof(tmp_path, "scoped_calls_with_an_older_subscription", fake="v135,strict")
    assert client["results"] == [0, NOT_SUPPORTED, NOT_SUPPORTED]
    client, = alone("scoped_calls_with_an_older_subscription", fake="v135")
    assert client["results"] == [0, 0, 0]


@pytest.mark.parametrize("name", ["cuptiSubscribe", "cuptiActivityEnable", "cuptiActivityEnable_v2"])
def test_a_program_without_cupti_finds_none(tmp_path, name):
    """It may look for CUPTI, and must not get it by prof."""
    look = (f"import ctypes; print(hasattr(ctypes.CDLL(None), '{name}'), hasattr(ctypes.CDLL(None), 'dlsym'),"
            "'libcupti' in open('/proc/self/maps').read())")
    report = run(tmp_path, command=["/usr/bin/python3", "-c", look])
    assert report.done.stdout.splitlines()[0] == "False True False"


@pytest.mark.parametrize("scenario", ["unsubscribes", "finalizes"])
def test_a_client_ends_in_a_callback(tmp_path, scenario):
    report, (a, b, again) = under_prof(tmp_path, scenario)
    assert a["callbacks"] == dict.fromkeys(LAUNCH, 2) and b["callbacks"] == dict.fromkeys(LAUNCH, 3)
    assert kernels(b) == ["first", "second", "third"]
    # cuptiFinalize ends the activities too.
    assert kernels(again) == (["fourth"] if scenario == "finalizes" else ["first", "second", "third", "fourth"])
    assert own_kernels(report) == ["first", "second", "third", "fourth"]


def test_a_fork_child_does_not_touch_cupti(tmp_path):
    report, (client,) = under_prof(tmp_path, "forks")
    assert client["child"] == 0 and kernels(client) == ["first", "second"]
    assert own_kernels(report) == ["first", "second"]


@pytest.mark.parametrize("options, expected", [
    ([], [0, SECOND_SUBSCRIBER, 0]), (["--cuda-injection=alone"], [SECOND_SUBSCRIBER] * 3)])
def test_subscriptions(tmp_path, options, expected):
    _, (client,) = under_prof(tmp_path, "subscribe_again", options=options)
    assert client["results"] == expected


def test_calls_have_one_row_while_a_client_has_them_recorded(tmp_path):
    """Rows of frequent calls come from CUPTI's records meanwhile, the others from callbacks as before."""
    report, (client, other) = under_prof(tmp_path, "recorded_calls")
    assert client["on"] == [True] * 3  # CUPTI does not call us for launches
    assert client["off"] == [True] * 6 and not client["is_recorded"]
    rows = report.query(
        "SELECT s.value AS name, eventClass, correlationId, returnValue, globalTid & 0xffffff AS tid "
        "FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId")
    key = lambda row: tuple(row[name] for name in ("name", "eventClass", "correlationId", "returnValue", "tid"))
    made, found = Counter(map(key, client["calls"])), Counter(map(key, rows))
    assert not made - found, f"lost: {list((made - found).items())[:5]} of {len(made)}"
    assert not found - made, f"too many: {list((found - made).items())[:5]} of {len(made)}"
    assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE end < start") == 0
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    calls = [record for record in client["records"] if record["kind"] == RUNTIME]
    by_thread = Counter(call["tid"] for call in client["calls"])
    main, = (call for call in client["calls"] if by_thread[call["tid"]] == 1)
    assert [call["thread"] for call in calls if call["correlation"] == main["correlationId"]] == ["this"]
    assert client["dropped"] == other["dropped"] == 0 and other["records"]
    assert all(record.get("in_time", True) for each in (client, other) for record in each["records"])


SANITIZED = BUILD / "bin" / "sanitized_cuda"


@pytest.mark.skipif(not SANITIZED.exists(), reason="built without sanitizers")
@pytest.mark.parametrize("scenario", [
    "kineto", "kineto_before_cuda", "several", "stingy", "unsubscribes", "finalizes", "forks", "periodic", "graphs", "crowd",
    "recorded_calls"])
def test_sanitizers_find_nothing(tmp_path, scenario):
    done = subprocess.run(
        [SANITIZED / "prof", "profile", "-t", "cuda", "-o", tmp_path / "report.db", "--cupti-path",
         SANITIZED / "libcupti.so.13", "--", SANITIZED / "fake_cupti_clients", scenario],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # the fake never frees its state
    assert done.returncode == 0 and "Sanitizer" not in done.stderr, done.stderr
    assert json.loads(done.stdout.splitlines()[0])


def test_clients_come_and_go_while_threads_work(tmp_path):
    report, clients = under_prof(tmp_path, "crowd")
    for client in clients:
        assert client["records"] > 0 and client["dropped"] == client["foreign_words"] == 0
        assert client["buffers"] <= 1  # an empty one
        calls = client["callbacks"]
        assert set(calls) == LAUNCH
    launches = report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                            "WHERE s.value LIKE 'cudaLaunchKernel%'")
    assert len(own_kernels(report)) == launches
