"""Where Python threads wait: findings that name the Python function and its line, and that tell locks from queues."""
import pytest
from finding_reports import analyze, findings, first, python

# The call chain of each long call, or what the collector sees from outside.
SOURCES = pytest.mark.parametrize("options", [("--python-backtrace=osrt",), ()], ids=["chains", "from outside"])

PYTHON_LOCK = """
    import threading, time
    lock = {lock}
    def update(lock):
        with lock:
            time.sleep(0.005)
    def work():
        own = lock or threading.Lock()
        for _ in range(30):
            update(own)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads: each.start()
    for each in threads: each.join()
"""


@SOURCES
def test_a_lock_of_python(tmp_path, options):
    """Python's locks are semaphores. The call chains tell them from queues."""
    report = python(tmp_path, PYTHON_LOCK.format(lock="threading.Lock()"), options=options)
    found = first(report.path)
    assert found["rule"] == "lock_waits", found
    assert "update" in found["evidence"] and "held by" in found["evidence"], found


PYTHON_QUEUE = """
    import queue, threading, time
    work = queue.Queue()
    def consume():
        while work.get() is not None:
            sum(range(20_000))
    threads = [threading.Thread(target=consume) for _ in range(3)]
    for each in threads: each.start()
    for number in range(150):
        time.sleep(0.004)
        work.put(number)
    for each in threads: work.put(None)
    for each in threads: each.join()
"""


@SOURCES
def test_python_threads_that_wait_for_work_wait_for_no_lock(tmp_path, options):
    found = findings(python(tmp_path, PYTHON_QUEUE, options=options).path)
    assert "lock_waits" not in found, found


@SOURCES
def test_python_threads_with_a_lock_each_sleep(tmp_path, options):
    found = findings(python(tmp_path, PYTHON_LOCK.format(lock="None"), options=options).path)
    # Other programs may have the CPUs.
    assert "lock_waits" not in found and next(rule for rule in found if rule != "too_few_cpus") == "sleeping", found


PYTHON_SLEEP = """
    import time
    def pause():
        time.sleep(0.01)
    def idle():
        for _ in range(60):
            pause()
    idle()
"""


@pytest.mark.alone  # on a busy machine, a look from outside misses some of the sleeps
@SOURCES
def test_a_sleep_has_its_line(tmp_path, options):
    found = first(python(tmp_path, PYTHON_SLEEP, options=options).path)
    assert found["rule"] == "sleeping", found
    assert f"called from pause ({tmp_path}/script.py:4)" in found["evidence"], found
    assert "probably" not in found["evidence"], found


def test_waits_are_no_samples(tmp_path):
    report = python(tmp_path, PYTHON_SLEEP)
    waits = report.query("""
        SELECT w.start, w.globalTid, s.value AS function, c.line FROM PROF_PYTHON_WAITS w
        JOIN PROF_PYTHON_CALLCHAINS c ON c.id = w.callchainId AND c.stackDepth = 0 JOIN StringIds s ON s.id = c.symbol
        ORDER BY w.start""")
    pauses = [row["start"] for row in waits if (row["function"], row["line"]) == ("pause", 4)]
    assert len(pauses) >= 10
    sleeps = report.query("""
        SELECT start, end FROM OSRT_API JOIN StringIds ON id = nameId WHERE value = 'clock_nanosleep' ORDER BY 1""")
    # Each is noted once, within its call.
    calls = [[at for at in pauses if call["start"] <= at <= call["end"]] for call in sleeps]
    assert max(map(len, calls)) == 1 and sum(map(len, calls)) == len(pauses)
    counts = [text for text in report.diagnostics() if text.startswith("Python samples: ")][0]
    assert f" {report.value('SELECT count(*) FROM PROF_PYTHON_SAMPLES')} taken" in counts
    assert counts.endswith(f" {len(waits)} waits noted.")
    assert analyze(report.path)["verdict"] == "sleeping"
