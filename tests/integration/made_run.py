"""Jobs that tests/bench/make_run.py simulates, with a ledger of what is true."""
import json
import sqlite3
import subprocess
import sys

from profiling import SOURCE

MAKE_RUN = SOURCE / "tests" / "bench" / "make_run.py"


def make_run(folder, ranks, events, *options):
    """Makes the reports of a job, and returns the ledger."""
    subprocess.run([sys.executable, MAKE_RUN, str(ranks), str(events), "-o", folder, *options], check=True)
    return json.loads((folder / "ledger.json").read_text())


def replace_os_calls(report, durations):
    """The report gets an OS-runtime call of each duration (ns), in place of those that it has."""
    with sqlite3.connect(report) as database:
        database.execute("DELETE FROM OSRT_API")
        database.executemany(
            "INSERT INTO OSRT_API (start, end, eventClass, globalTid, nameId, returnValue, nestingLevel, callchainId) "
            "SELECT 0, ?, 27, globalTid, 4, 0, 0, 0 FROM ThreadNames LIMIT 1", ((value,) for value in durations))
    database.close()
