"""prof analyze's findings about heaps, threads, event loops, messages and flushes. Each has a program with the problem,
and one that does the same work without it."""
import json
import re
import shutil
import sys

import pytest
from finding_reports import findings, record, waits
from profiling import prof, program, source_of

STATUS = json.loads(prof("status", "--json").stdout)
needs_kernel = pytest.mark.skipif(not STATUS["sampling"]["detail"].startswith("by the kernel"),
                                  reason=STATUS["sampling"]["detail"])


def found(tmp_path, *command, options=()):
    """The findings by rule. Node.js writes a file into the folder that it runs in."""
    return findings(record(tmp_path, *command, options=options, cwd=tmp_path).path)


def place_of(function):
    """A function of busy_habits with its line, with or without its namespace, parameters and folder."""
    return re.compile(rf"(?:\(anonymous namespace\)::)?{function}(?:\(\w*\))? \((?:[^ ()]*/)?busy_habits\.cpp:\d+\)")


def python(name, *arguments):
    return sys.executable, str(source_of(name)), *arguments


# --- the heap

@needs_kernel
@pytest.mark.alone
def test_texts_in_new_memory(tmp_path):
    report = record(tmp_path, program("memory_habits"), "allocates", options=("--sampling-frequency=2000",))
    evidence = findings(report.path)["heap_allocation"]["evidence"]
    assert "operator new" in evidence and "free" in evidence, evidence
    assert "in_new_memory" in evidence and "memory_habits.cpp:" in evidence, evidence


@needs_kernel
def test_texts_in_the_same_memory(tmp_path):
    assert "heap_allocation" not in found(tmp_path, program("memory_habits"), "reuses")


# --- threads

@pytest.mark.alone
@needs_kernel
def test_a_thread_for_each_piece_of_work(tmp_path):
    evidence = found(tmp_path, program("thread_habits"), "many")["thread_creation"]["evidence"]
    assert evidence.startswith("4000 threads of "), evidence
    assert "4000 calls of pthread_create" in evidence and "run (" in evidence, evidence


def test_a_few_threads_for_all_pieces_of_work(tmp_path):
    assert "thread_creation" not in found(tmp_path, program("thread_habits"), "few")


# --- threads that do not wait, and exceptions

@pytest.mark.alone
@needs_kernel
def test_a_lock_that_spins(tmp_path):
    report = record(tmp_path, program("busy_habits"), "spins")
    yields = int(report.done.stdout.split()[0])
    if yields < 300000:
        pytest.skip("other programs had the CPUs, so the threads took turns on one and did not spin")
    found = findings(report.path)["spinning"]
    assert re.search(f"{yields} calls of sched_yield by 2 threads", found["evidence"]), (yields, found)
    assert place_of("spin_until_free").search(found["evidence"]), found
    assert "many_system_calls" not in findings(report.path)


def test_a_lock_that_blocks(tmp_path):
    assert "spinning" not in found(tmp_path, program("busy_habits"), "blocks")


@pytest.mark.alone
@needs_kernel
def test_exceptions_for_what_is_common(tmp_path):
    evidence = found(tmp_path, program("busy_habits"), "throws")["exceptions"]["evidence"]
    assert re.search("thrown by " + place_of("parse_number").pattern, evidence), evidence


def test_values_for_what_is_common(tmp_path):
    assert "exceptions" not in found(tmp_path, program("busy_habits"), "returns")


@pytest.mark.alone
@needs_kernel
def test_a_server_without_free_descriptors(tmp_path):
    # Each call has its caller, not only those that something delays.
    evidence = found(tmp_path, program("busy_habits"), "exhausted",
                     options=("--osrt-backtrace-threshold=0",))["failing_accept"]["evidence"]
    assert "calls of accept" in evidence, evidence
    assert re.search("accept called from " + place_of("take_client").pattern, evidence), evidence


def test_a_server_that_accepts(tmp_path):
    result = found(tmp_path, program("busy_habits"), "accepts")
    assert not {"failing_accept", "spinning"} & set(result), result


# --- event loops

@needs_kernel
@pytest.mark.parametrize("way,function", [("sleeps", "wait_for_answer"), ("computes", "checksum")])
def test_a_callback_that_blocks_asyncio(tmp_path, way, function):
    result = found(tmp_path, *python("event_loop.py", way))
    evidence = result["event_loop_blocked"]["evidence"]
    # The first turn may begin before the loop has called epoll_wait.
    assert re.match("[345] turns of 50 ms and more, 1[0-9][0-9] ms on average", evidence), evidence
    assert f"{function} (" in evidence and f"called by {way} (" in evidence and "event_loop.py:" in evidence, evidence
    assert "sleeping" not in result and "polling" not in result, result


@needs_kernel
@pytest.mark.parametrize("way", ["in_pieces", "in_thread", "timer"])
def test_callbacks_that_do_not_block_asyncio(tmp_path, way):
    ways = () if way == "timer" else (way,)
    result = found(tmp_path, *python("event_loop.py", *ways))
    assert not {"event_loop_blocked", "polling"} & set(result), result


@needs_kernel
def test_uvloop(tmp_path):
    pytest.importorskip("uvloop")
    evidence = found(tmp_path, *python("event_loop.py", "--uvloop", "computes"))["event_loop_blocked"]["evidence"]
    assert "checksum (" in evidence and "called by computes (" in evidence, evidence
    assert not {"event_loop_blocked", "polling"} & set(found(tmp_path, *python("event_loop.py", "--uvloop")))


@needs_kernel
@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js")
def test_a_callback_that_blocks_node(tmp_path):
    script = str(source_of("event_loop.js"))
    evidence = found(tmp_path, "node", "--perf-basic-prof", script, "blocks")["event_loop_blocked"]["evidence"]
    assert evidence.startswith(("4 turns of 50 ms", "5 turns of 50 ms")), evidence
    assert "checksum " in evidence and "event_loop.js" in evidence, evidence
    # Without names of functions made at run time the finding says how long, but not where.
    assert "event_loop_blocked" in found(tmp_path, "node", script, "blocks")


@needs_kernel
@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js")
def test_timers_of_node(tmp_path):
    result = found(tmp_path, "node", str(source_of("event_loop.js")), "timers")
    assert not {"event_loop_blocked", "polling"} & set(result), result


# --- messages between processes

def test_large_lists_between_processes(tmp_path):
    result = found(tmp_path, *python("messages.py", "big"))
    evidence = result["big_messages"]["evidence"]
    assert "6 writes" in evidence and "MB on average" in evidence, evidence
    assert "SimpleQueue.get (queues.py)" in evidence or "dumps" in evidence, evidence


def test_small_messages_between_processes(tmp_path):
    assert "big_messages" not in found(tmp_path, *python("messages.py", "small"))


# --- flushes

def test_flushes_of_a_short_program(tmp_path):
    report = waits(tmp_path, "flush_few")
    if report.expected()["flushing"] < 0.01:
        pytest.skip("this file system flushes nothing")
    assert "20 calls of fsync" in findings(report.path)["disk_flush"]["evidence"]


def test_one_flush_at_the_end(tmp_path):
    report = waits(tmp_path, "flush_once")
    if report.expected()["flushing"] > 0.1:
        pytest.skip("this file system is too slow for this test")
    assert "disk_flush" not in findings(report.path)


def test_the_findings_are_in_the_list_of_rules():
    listed = prof("analyze", "--help-rules=findings").stdout
    for rule in ("heap_allocation", "thread_creation", "event_loop_blocked", "big_messages", "disk_flush"):
        assert rule in listed
