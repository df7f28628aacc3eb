"""Making the report of a long recording. What grows with the recording is in files, so the memory has a bound."""
import json
import os
import pty
import resource
import sqlite3
import subprocess
import threading

import pytest
from profiling import BUILD, HAS_SANITIZER, PROF

GENERATOR = BUILD / "bin" / "bench" / "long_spool"
# Each makes another part of prof keep something for every event.
KINDS = ["calls", "rare", "python_chains", "native_chains", "texts", "registered", "crossing", "open_ranges", "cuda", "files",
         "samples", "switches", "threads", "processes"]
EVENTS = 60_000
# Bytes of memory that is not a mapped file. The same recording took 185 MB when everything was kept there.
BOUND = 130 << 20


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    if not GENERATOR.exists():
        pytest.skip("long_spool was not built")
    path = tmp_path_factory.mktemp("long") / "r.db.spool"
    rows = subprocess.run([GENERATOR, path, str(EVENTS), *KINDS], stdout=subprocess.PIPE, check=True).stdout
    return path, json.loads(rows)


def test_memory_is_bounded_progress_is_shown_and_nothing_is_lost(recording):
    spool, expected = recording
    report = spool.with_suffix("")
    terminal, end = pty.openpty()
    shown = []

    def read():
        try:
            while data := os.read(terminal, 4096):
                shown.append(data)
        except OSError:  # nobody has the other end any more
            pass

    reader = threading.Thread(target=read)
    reader.start()

    def limit():
        if not HAS_SANITIZER:
            resource.setrlimit(resource.RLIMIT_DATA, (BOUND, BOUND))

    done = subprocess.run([PROF, "recover", spool], stdout=subprocess.PIPE, stderr=end, preexec_fn=limit, check=False)
    os.close(end)
    reader.join()
    text = b"".join(shown).decode()
    assert done.returncode == 0, text
    assert "writing" in text and " %" in text and "million rows" in text
    progress = text.split("Generated:")[0]
    assert progress.count("\n") == 0 and progress.endswith("\r\033[K")  # one line, which is removed
    assert not [name for name in os.listdir(spool.parent) if name != report.name]
    database = sqlite3.connect(report)
    for table, rows in expected.items():
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= rows, table
    ranges = "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60 AND endGlobalTid != globalTid AND end = start + 100"
    assert database.execute(ranges).fetchone() == (EVENTS,)
    assert database.execute("SELECT count(*), count(DISTINCT text) FROM NVTX_EVENTS WHERE text LIKE 'step %'").fetchone() == (EVENTS, EVENTS)
    waits = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION s JOIN CUPTI_ACTIVITY_KIND_CUDA_EVENT e USING (correlationId, eventSyncId)"
    assert database.execute(waits).fetchone() == (EVENTS,)
    chains = "SELECT count(DISTINCT id) FROM OSRT_CALLCHAINS"
    assert database.execute(chains).fetchone() == (2 * EVENTS,)
    samples = [row[0] for row in database.execute("SELECT start FROM COMPOSITE_EVENTS ORDER BY id")]
    assert samples == sorted(samples)
