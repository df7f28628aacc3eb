"""--ftrace: tracepoints of the kernel on the whole system."""
import os
import tempfile
from pathlib import Path

import pytest
from profiling import prof, profile
from test_timeline import shown

TRACEFS = Path("/sys/kernel/tracing")


def obstacle():
    """Why tracepoints cannot be recorded here; empty if they can."""
    if not (TRACEFS / "events/sched/sched_process_exec/id").exists():
        return "tracefs is not mounted at /sys/kernel/tracing"
    with tempfile.TemporaryDirectory() as folder:
        done = prof("profile", "-t", "none", "-s", "none", "--ftrace=sched/sched_process_exec",
                    "-o", f"{folder}/probe", "true")
        return done.stderr if "not recorded" in done.stderr else ""


WHY_NOT = obstacle()
possible = pytest.mark.skipif(WHY_NOT != "", reason=WHY_NOT)

EVENTS = """
    SELECT timestamp, globalTid >> 24 & 0xffffff AS pid, value AS name, event.data AS texts,
           (SELECT COALESCE(intVal, uintVal) FROM GENERIC_EVENT_DATA AS number JOIN GENERIC_EVENT_TYPE_FIELDS AS field
            ON field.typeId = event.typeId AND field.fieldIdx = number.fieldIdx JOIN StringIds ON id = fieldNameId
            WHERE number.genericEventId = event.genericEventId AND value = 'pid') AS number
    FROM GENERIC_EVENTS AS event JOIN GENERIC_EVENT_TYPES USING (typeId) JOIN StringIds ON id = nameId"""


@possible
def test_executions_of_the_program_are_events(tmp_path):
    report = profile(tmp_path, "sh", "-c", "/bin/true; /bin/echo $$; /bin/true", traces="none",
                     options=["--ftrace=sched/sched_process_exec"])
    pids = report.pids()
    made = [row for row in report.query(EVENTS) if row["pid"] in pids]
    assert {row["name"] for row in made} == {"sched/sched_process_exec"}
    assert all(row["number"] == row["pid"] for row in made)
    files = [row["texts"] for row in sorted(made, key=lambda row: row["timestamp"])]
    assert sum("/true" in text for text in files) == 2
    assert sum("/echo" in text for text in files) == 1
    summary = {row["Name"]: int(row["Events"]) for row in report.statistics("ftrace_sum")}
    assert summary["sched/sched_process_exec"] >= 4


@possible
def test_all_of_a_subsystem(tmp_path):
    report = profile(tmp_path, "sh", "-c", "/bin/true; /bin/true", traces="none", options=["--ftrace=task/*"])
    names = {row["Name"] for row in report.statistics("ftrace_sum")}
    assert {"task/task_newtask", "task/task_rename"} <= names
    # Numbers of events are not samples of counters.
    trace = tmp_path / "trace.json"
    assert prof("export", "-t", "chrome", "-o", trace, report.path).returncode == 0
    assert "oom_score_adj" not in trace.read_text()
    tables, messages = shown(report.path)
    assert tables["GENERIC_EVENTS"][0] == report.value("SELECT count(*) FROM GENERIC_EVENTS") and not messages


@possible
def test_the_configuration_of_ftrace_stays(tmp_path):
    before = (TRACEFS / "set_event").read_text()
    profile(tmp_path, "true", traces="none", options=["--ftrace=sched/sched_process_fork"])
    assert (TRACEFS / "set_event").read_text() == before


@possible
def test_an_unknown_event_is_named_and_the_others_are_recorded(tmp_path):
    report = profile(tmp_path, "true", traces="none", options=["--ftrace=sched/made_up,sched/sched_process_exec"])
    assert "sched/made_up" in report.done.stderr
    assert {row["Name"] for row in report.statistics("ftrace_sum")} == {"sched/sched_process_exec"}


def test_wrong_names_are_refused(tmp_path):
    for name in ("sched", "sched/", "/x", "a/b/c", "../x"):
        done = prof("profile", f"--ftrace={name}", "-o", tmp_path / "report", "true")
        assert done.returncode == 2
        assert "SUBSYSTEM/EVENT" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0 or WHY_NOT != "", reason="needs root, to become another user")
def test_another_user_is_told_what_is_missing(tmp_path):
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == 0 and str(folder).startswith(tempfile.gettempdir() + "/"):
            folder.chmod(0o755)
    done = prof("profile", "-t", "none", "-s", "none", "--ftrace=sched/sched_switch", "-o", tmp_path / "report", "true",
                user=65534, group=65534, extra_groups=[])
    assert done.returncode == 0
    assert "Events of ftrace are not recorded" in done.stderr
