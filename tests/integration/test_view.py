"""prof view: the command line, and the answers that the page gets."""
import os
import signal
import socket
import sqlite3
import stat
import struct
import sys
import time
from pathlib import Path

import pytest
from made_up_program import Program
from profiling import prof, unpacked
from view_server import WAIT, viewing

APIS = ("rows", "names", "tile", "event", "find", "events", "statistics", "statistic", "flame", "summary", "diff", "query")
HOSTILE = ["<script>alert(1)</script>", "</script><!--", "ctrl \x01\x1b[31m\x7f", "new\nline", 'quo"te', "back\\slash",
           "\u2028\u202e", "ünïcödé 🎉", "x" * (1 << 20)]


def make_report(path, kernels=50):
    program = Program(path)
    for i in range(kernels):
        with program.range(f"step {i % 7}"):
            program.compute(i * 100)
            program.kernel(f"kernel_{i % 5}", 1000 * (i % 9 + 1), stream=7 + i % 2)
    program.done()
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with viewing(make_report(tmp_path_factory.mktemp("view") / "report.db")) as server:
        server.rows = server.exact_rows()["rows"]
        yield server


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("truth") / "report.sqlite")


def rows_of(server, kind):
    return [row for row in server.rows if row["kind"] == kind]


# --- the answers


def test_parents_come_before_their_children(server):
    seen = set()
    for row in server.rows:
        assert row["parent"] is None or row["parent"] in seen
        assert row["exact"] and row["style"] in ("events", "instants", "states", "counter", "density")
        seen.add(row["id"])
    assert sum(row["events"] for row in rows_of(server, "kernels")) == 50


def all_events(server, row, **parameters):
    events = []
    while True:
        page = server.json("events", row=row, offset=len(events), limit=7, **parameters)
        events += page["events"]
        if len(events) >= page["total"]:
            assert len(events) == page["total"]
            return events


@pytest.mark.parametrize("sort", ["start", "duration", "name"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_of_the_table_of_events(server, sort, order):
    """All pages together are all events, in order, whatever is equal."""
    top = max(server.rows, key=lambda row: row["events"] if row["style"] == "density" else 0)["id"]
    events = all_events(server, top, sort=sort, order=order)
    key = {"start": lambda event: event["start"], "duration": lambda event: event["end"] - event["start"],
           "name": lambda event: event["name"].encode()}[sort]
    assert len({(event["row"], event["source"], event["id"]) for event in events}) == len(events) > 50
    keys = [key(event) for event in events]
    assert keys == sorted(keys, reverse=order == "desc")


def test_the_table_of_a_span(server):
    row = rows_of(server, "kernels")[0]["id"]
    every = all_events(server, row)
    start, end = every[3]["start"], every[8]["start"]
    expected = [event for event in every if event["start"] < end and event["end"] > start]
    found = all_events(server, row, **{"from": start, "to": end})
    assert [event for event in found if event["start"] < end and event["end"] > start] == expected
    assert all(event["end"] >= start and event["start"] <= end for event in found)


def test_search_goes_through_all_hits(server):
    hits, after = [], None
    while True:
        page = server.json("find", q="KERNEL_3", limit=3, **({} if after is None else {"after": after}))
        hits += page["hits"]
        after = page["next"]
        if after is None:
            break
    assert len(hits) == page["total"] and {hit["name"] for hit in hits} == {"kernel_3"}
    assert [hit["start"] for hit in hits] == sorted(hit["start"] for hit in hits)
    assert server.json("find", q="/kernel_[34]$/")["total"] == 2 * len(hits)
    assert server.json("find", q=r"/^\w{6}_(3|4){1,20}$/")["total"] == 2 * len(hits)
    named = sum(row["events"] for kind in ("kernels", "nvtx") for row in rows_of(server, kind))
    assert server.json("find", q="/^(step|KERNEL)/", limit=1000)["total"] == named >= 100
    stream = rows_of(server, "kernels")[0]
    assert server.json("find", q="kernel", rows=stream["id"])["total"] == stream["events"]
    assert server.json("find", q="no such name") == {"hits": [], "total": 0, "exact": True, "next": None}


def test_names_have_numbers(server):
    answer = server.json("names", **{"from": 0})
    assert answer["from"] == 0 and answer["total"] == len(answer["names"])
    assert "kernel_4" in answer["names"]
    number = answer["names"].index("kernel_4")
    assert server.json("names", **{"from": number})["names"][0] == "kernel_4"
    assert server.json("names", **{"from": 1 << 40})["names"] == []


def test_tiles_of_several_rows_follow_each_other(server):
    ids = [row["id"] for row in server.rows]
    body = server.get("tile", rows=",".join(map(str, ids)), level=30, index=0).body
    at, found = 0, []
    while at < len(body):
        magic, size, row = struct.unpack_from("<III", body, at)
        assert magic == 0x314C5450 and size >= 40 and size % 8 == 0
        found.append(row)
        at += size
    assert found == ids and at == len(body)


@pytest.mark.parametrize("api,parameters,status", [
    ("tile", {}, 400), ("tile", {"rows": "1"}, 400), ("tile", {"rows": "x", "level": 1, "index": 0}, 400),
    ("tile", {"rows": "999999", "level": 1, "index": 0}, 404), ("tile", {"rows": "-1", "level": 1, "index": 0}, 404),
    ("tile", {"rows": "4294967297", "level": 1, "index": 0}, 404), ("tile", {"rows": "1", "level": 99, "index": 0}, 400),
    ("tile", {"rows": "1", "level": -1, "index": 0}, 400), ("tile", {"rows": "1", "level": 40, "index": 1 << 62}, 400),
    ("tile", {"rows": "1", "level": 0, "index": "1" * 30}, 400), ("tile", {"rows": "1," * 600, "level": 0, "index": 0}, 400),
    ("names", {"from": "x"}, 400), ("names", {"from": -1}, 400), ("find", {}, 400), ("find", {"q": ""}, 400),
    ("find", {"q": "/(/"}, 400), ("find", {"q": "/((a{1,200}){1,200}){1,200}/"}, 400), ("find", {"q": r"/(a)\1/"}, 400),
    ("find", {"q": "/a{1001}/"}, 400), ("find", {"q": "/" + "." * 1001 + "/"}, 400), ("find", {"q": "/a{,5000}/"}, 400),
    ("find", {"q": "a", "limit": 0}, 400), ("find", {"q": "a", "limit": 1001}, 400),
    ("find", {"q": "a", "after": "soon"}, 400), ("find", {"q": "a", "rows": "0"}, 404), ("events", {}, 400),
    ("events", {"row": 1 << 31}, 404), ("events", {"row": 1, "sort": "size"}, 400), ("events", {"row": 1, "order": "up"}, 400),
    ("events", {"row": 1, "from": 5, "to": 4}, 400), ("events", {"row": 1, "offset": -1}, 400),
    ("events", {"row": 1, "limit": 1001}, 400)])
def test_wrong_parameters_have_a_reason(server, api, parameters, status):
    answer = server.get(api, **parameters)
    assert answer.status == status, answer.body
    assert answer.json()["error"] and answer.fields["content-type"] == "application/json"
    assert answer.fields["cache-control"] == "no-store"


NUMBERS = ["", "x", "-1", "0", "1", "9223372036854775807", "-9223372036854775808", "1e9", "1.5", "%00", "\u0661", "1" * 2000]


@pytest.mark.parametrize("api", APIS)
def test_no_parameter_does_harm(server, api):
    """Each parameter in turn is nonsense: the answer is one, or says what is wrong."""
    usual = {"rows": "1", "row": 1, "level": 20, "index": 0, "v": 1, "from": 0, "to": 1 << 40, "q": "k", "after": 0,
             "limit": 10, "offset": 0, "sort": "start", "order": "asc", "source": 0, "id": 1, "name": "osrt_sum", "kind": "cpu",
             "sql": "SELECT 1", "seconds": 1}
    for name in usual:
        for value in NUMBERS:
            answer = server.get(api, **{**usual, name: value})
            assert answer.status in (200, 400, 404), (api, name, value, answer.body)
    assert server.process.poll() is None


def test_hostile_names_are_valid_json(tmp_path):
    path = tmp_path / "report.db"
    program = Program(path)
    for name in HOSTILE:
        with program.range(name):
            program.kernel(name, 1000)
    for number, raw in enumerate((b"\xff\xfe bytes", b"half \xe2\x82", b"\xed\xa0\x80")):
        program.database.execute("INSERT INTO StringIds VALUES (?, CAST(? AS TEXT))", (1000 + number, raw))
        program.insert("CUPTI_ACTIVITY_KIND_RUNTIME", program.now, program.now + 10, 0, program.thread, 0, 1000 + number, 0)
        program.now += 10
    program.done()
    with viewing(path) as server:
        rows = server.exact_rows()
        names = []
        while part := server.json("names", **{"from": len(names)})["names"]:
            names += part
        texts = {name if isinstance(name, str) else name[0] for name in names}
        for name in HOSTILE:
            assert any(text and name.startswith(text) for text in texts), name[:40]
        assert any("\ufffd bytes" in text or "bytes" in text for text in texts)
        for row in rows["rows"]:
            server.json("events", row=row["id"], limit=1000)
        assert server.json("find", q="<script>")["total"] >= 1
        answer = server.get("find", q="<script>")
        assert answer.fields["content-type"] == "application/json"


def test_events_of_a_report_of_nsys(truth):
    database = sqlite3.connect(truth)
    counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
              for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")}
    before = truth.read_bytes()
    with viewing(truth) as server:
        found = dict.fromkeys(counts, 0)
        for row in server.exact_rows()["rows"]:
            for table in row["tables"]:
                if table in found and row["kind"] in ("kernels", "copies", "fills"):
                    found[table] += row["events"]
        assert found == counts
    assert truth.read_bytes() == before and [path.name for path in truth.parent.iterdir()] == [truth.name]


# --- a report that changes


@pytest.mark.parametrize("change", ["delete", "truncate", "empty", "replace", "overwrite"])
def test_a_report_that_changes_gives_a_message(tmp_path, change):
    path = make_report(tmp_path / "report.db", 2000)
    with viewing(path) as server:
        rows = server.exact_rows()["rows"]
        if change == "delete":
            path.unlink()
        elif change == "truncate":
            os.truncate(path, path.stat().st_size // 2)
        elif change == "empty":
            os.truncate(path, 0)
        elif change == "replace":
            make_report(tmp_path / "other.db").rename(path)
        else:
            path.write_bytes(b"\xff" * path.stat().st_size)
        # What is in memory is still shown.
        server.json("rows")
        assert server.get("tile", rows=rows[-1]["id"], level=20, index=0).status == 200
        event = next(row for row in rows if row["kind"] == "kernels")
        for api, parameters in (("statistics", {}), ("statistic", {"name": "cuda_gpu_kern_sum"}), ("flame", {"kind": "cuda"}),
                                ("event", {"row": event["id"], "source": 0, "id": 1})):
            answer = server.get(api, **parameters)
            assert answer.status == 409 and str(path) in answer.json()["error"], (api, answer.body)
        assert str(path) in server.json("summary", wait=1)["fault"]
        assert server.process.poll() is None


# --- the command line


def test_ends_with_ctrl_c_and_sigterm(tmp_path):
    path = make_report(tmp_path / "report.db")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with viewing(path) as server:
            status, _, err = server.end(number)
        assert (status, err) == (0, "")


def browser(folder, name, script):
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{script}")
    path.chmod(0o755)
    return path


KEEPS_ARGUMENTS = """
import os, shutil, sys
shutil.copy(sys.argv[-1], os.environ["SEEN"] + ".html")
with open(os.environ["SEEN"] + ".new", "w") as file:
    file.write(f"{os.stat(sys.argv[-1]).st_mode & 0o777:o} " + " ".join(sys.argv[1:]))
os.rename(os.environ["SEEN"] + ".new", os.environ["SEEN"])
"""


def wait_for(path):
    deadline = time.monotonic() + WAIT
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.01)


def start(tmp_path, environment, *options):
    path = tmp_path / "report.db"
    if not path.exists():
        make_report(path)
    clean = {name: value for name, value in os.environ.items()
             if name not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "XDG_RUNTIME_DIR")}
    return viewing(path, *options, env={**clean, "TMPDIR": str(tmp_path), **environment}, browser=True)


def test_the_browser_gets_a_private_file_with_the_url(tmp_path):
    command = browser(tmp_path, "browser", KEEPS_ARGUMENTS)
    seen = tmp_path / "seen"
    with start(tmp_path, {"BROWSER": f"/nowhere/x:{command} --new %s", "SEEN": str(seen)}) as server:
        wait_for(seen)
        mode, option, file = seen.read_text().split()
        assert (mode, option) == ("600", "--new") and Path(file).parent.parent == tmp_path
        assert server.token not in seen.read_text()
        assert server.url in (tmp_path / "seen.html").read_text()
        assert Path(file).exists()
        assert server.end()[0] == 0
        assert not Path(file).exists()


def test_browsers_are_found_in_the_path(tmp_path):
    browser(tmp_path, "sensible-browser", KEEPS_ARGUMENTS)
    seen = tmp_path / "seen"
    with start(tmp_path, {"DISPLAY": ":9", "PATH": str(tmp_path), "SEEN": str(seen)}) as server:
        wait_for(seen)
        assert server.end(signal.SIGINT)[0] == 0
    assert not list(tmp_path.glob("prof-view-*"))


def test_without_a_browser_the_url_is_enough(tmp_path):
    with start(tmp_path, {"DISPLAY": ":9", "PATH": str(tmp_path)}) as server:
        assert server.ask("").status == 200
        status, _, err = server.end()
    assert status == 0 and "no browser found" in err and err.count("\n") == 1


def test_a_browser_that_fails_is_reported(tmp_path):
    command = browser(tmp_path, "browser", "import sys; sys.exit(3)")
    with start(tmp_path, {"BROWSER": str(command)}) as server:
        assert "could not open a browser (status 3)" in server.process.stderr.readline()


def test_without_a_display_there_is_a_tunnel(tmp_path):
    with start(tmp_path, {"SSH_CONNECTION": "10.0.0.5 50000 10.0.0.9 2222"}) as server:
        status, out, err = server.end()
    assert (status, err) == (0, "")
    assert f"ssh -N -L {server.port}:127.0.0.1:{server.port} -p 2222 " in out and "@10.0.0.9\n" in out
    assert not list(tmp_path.glob("prof-view-*"))


def test_a_port_of_choice(tmp_path):
    path = make_report(tmp_path / "report.db")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = prof("view", "--no-browser", "--port", port, path)
    assert done.returncode == 1 and done.stderr == f"prof: port {port} is in use; choose another one, or leave --port out\n"
    with viewing("--port", port, path) as server:
        assert server.port == port
        done = prof("view", "--no-browser", "--port", port, path)
        assert done.returncode == 1 and "is in use" in done.stderr


@pytest.mark.parametrize("words,status,reason", [
    ([], 2, "no report given (see prof view --help)"), (["/nowhere.db"], 1, "/nowhere.db"), (["{folder}/empty"], 1, "has no report in it"),
    (["{foreign}"], 1, "not an SQLite database"), (["{other}"], 1, "no StringIds table"), (["{report}", "/nowhere.db"], 1, "/nowhere.db"),
    (["--port", "70000", "{report}"], 2, "--port"), (["--port", "x", "{report}"], 2, "--port"),
    (["--align=no such range", "{report}", "{report}"], 1, "no such range")])
def test_wrong_usage_is_one_line(tmp_path, words, status, reason):
    make_report(tmp_path / "report.db")
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign.db").write_text("hello")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    names = {name: tmp_path / f"{name}.db" for name in ("report", "foreign", "other")}
    done = prof("view", "--no-browser", *(word.format(folder=tmp_path, **names) for word in words))
    assert done.returncode == status and reason in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("prof: ") and done.stdout == ""


def test_the_redirect_file_is_private_whatever_the_umask(tmp_path):
    command = browser(tmp_path, "browser", KEEPS_ARGUMENTS)
    seen = tmp_path / "seen"
    before = os.umask(0)
    try:
        with start(tmp_path, {"BROWSER": str(command), "SEEN": str(seen)}):
            wait_for(seen)
            assert seen.read_text().startswith("600 ")
            file, = tmp_path.glob("prof-view-*/*.html")
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(before)
