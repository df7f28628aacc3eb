"""prof view --html: the page and its data in one file."""
import base64
import json
import re
import shutil
import sqlite3
import struct
import subprocess
import zlib
from collections import Counter

import pytest
from agent_cases import CAUSES
from made_up_program import Program
from profiling import SOURCE, prof
from view_server import viewing

PAGE = SOURCE / "exporters" / "viewer" / "page"
PART = re.compile(r'<script type="text/plain" data-part="([\w-]+)">([A-Za-z0-9+/=]*)</script>')
HOSTILE = ["</script><script>alert(1)</script>", "<!-- <script>", "\u2028 line", "<!--data-->", 'quo"te', "ünïcödé"]


def make_report(path, names=("forward", "backward", "optimizer"), steps=40):
    program = Program(path)
    for i in range(steps):
        with program.range(f"step {i % 3}"):
            program.compute(1000 + i * 10)
            for name in names:
                with program.range(name):
                    program.os_call("read", 700 + i)
                    program.kernel(name + "_kernel", 900 * (i % 4 + 1), stream=7 + i % 2)
            program.copy(4096, 2000)
    program.done()
    return path


def write(path, *options):
    page = path.with_suffix(".html")
    done = prof("view", "--html", page, *options, path)
    assert done.returncode == 0, done.stderr
    return page, done.stderr


def parts_of(page):
    text = page.read_text()
    return {name: zlib.decompress(base64.b64decode(data), wbits=-15) for name, data in PART.findall(text)}


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        value = self.next()
        return -(value + 1) // 2 if value % 2 else value // 2


def events_of(parts):
    """{row: [(lane, start, duration, name, id, flags)]}"""
    found = {}
    for name in (each for each in parts if each.startswith("events-")):
        numbers = Numbers(parts[name])
        while numbers.at < len(parts[name]):
            row, lanes = numbers.next(), numbers.next()
            counts = [numbers.next() for _ in range(lanes)]
            found[row] = []
            for lane, count in enumerate(counts):
                start = number = 0
                starts = [start := start + numbers.signed() for _ in range(count)]
                durations = [numbers.next() for _ in range(count)]
                names = [numbers.next() for _ in range(count)]
                ids = [number := number + numbers.signed() for _ in range(count)]
                flags = [numbers.next() for _ in range(count)]
                found[row] += zip([lane] * count, starts, durations, names, ids, flags)
    return found


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return make_report(tmp_path_factory.mktemp("file") / "report.db")


@pytest.fixture(scope="module")
def parts(report):
    return parts_of(write(report)[0])


def test_all_events_are_in_the_file(report, parts):
    rows = json.loads(parts["rows"])
    names = json.loads(parts["names"])
    kinds = {row["id"]: row["kind"] for row in rows["rows"]}
    events = events_of(parts)
    database = sqlite3.connect(report)
    for kind, table, columns in (("kernels", "CUPTI_ACTIVITY_KIND_KERNEL", "start, end"), ("nvtx", "NVTX_EVENTS", "start, end"),
                                 ("osrt", "OSRT_API", "start, end"), ("copies", "CUPTI_ACTIVITY_KIND_MEMCPY", "start, end")):
        expected = Counter(database.execute(f"SELECT {columns} FROM {table}"))
        found = Counter((start, start + duration) for row, list_ in events.items() if kinds[row] == kind
                        for _, start, duration, *_ in list_)
        assert found == expected, kind
    kernels = Counter(names[event[3]] for row, list_ in events.items() if kinds[row] == "kernels" for event in list_)
    assert kernels == {"forward_kernel": 40, "backward_kernel": 40, "optimizer_kernel": 40}
    for row in rows["rows"]:
        if row["style"] in ("events", "instants", "states"):
            assert row["events"] == len(events.get(row["id"], ()))


def test_the_file_says_what_it_holds(report, parts):
    page, err = write(report, "-f")
    assert "paths and command lines" in err and str(page) in err
    assert any("paths and command lines" in message for message in json.loads(parts["rows"])["messages"])


def test_answers_are_those_of_the_server(report, parts):
    saved = json.loads(parts["answers"])
    with viewing(report) as server:
        server.exact_rows()
        assert saved["statistics"]["0"] == server.json("statistics")
        assert saved["summary"]["0"] == server.json("summary", wait=1)
        for each in saved["statistics"]["0"]["statistics"]:
            assert saved["statistic"]["0:" + each["name"]] == server.get("statistic", name=each["name"]).json()
        details = json.loads(parts["details"])
        assert len(details) == sum(len(list_) for list_ in events_of(parts).values())
        for key in list(details)[::50]:
            row, source, number = key.split(":")
            assert details[key] == server.json("event", row=row, source=source, id=number)


def test_a_span(report):
    database = sqlite3.connect(report)
    start, end = database.execute("SELECT start, end FROM NVTX_EVENTS WHERE text = 'step 1' LIMIT 1").fetchone()
    page, _ = write(report, "-f", f"--filter-time={start}/{end}")
    parts = parts_of(page)
    rows = json.loads(parts["rows"])
    assert rows["span"] == {"start": start, "end": end}
    assert any(f"{start / 1e9:.6f} s to {end / 1e9:.6f} s" in message for message in rows["messages"])
    found = [event for list_ in events_of(parts).values() for event in list_]
    assert found and all(event[1] <= end and event[1] + event[2] >= start for event in found)
    assert sum(row["events"] for row in rows["rows"] if row["style"] == "events") == len(found)
    kernels = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start < ? AND end > ?", (end, start)).fetchone()[0]
    assert sum(row["events"] for row in rows["rows"] if row["kind"] == "kernels") == kernels
    done = prof("stats", "-q", "-f", "json", "-r", "osrt_sum", f"--filter-time={start}/{end}", report)
    table = json.loads(parts["answers"])["statistic"]["0:osrt_sum"]
    assert len(table["rows"]) == len(json.loads(done.stdout))


def test_hostile_names_stay_data(tmp_path):
    page, _ = write(make_report(tmp_path / "report.db", HOSTILE, 2))
    text = page.read_text()
    assert all(name not in text for name in HOSTILE)
    names = {name if isinstance(name, str) else name[0] for name in json.loads(parts_of(page)["names"])}
    assert set(HOSTILE) <= names
    assert len(re.findall(r"<script", text)) == len(PART.findall(text)) + 1


def test_the_page_allows_only_its_own_script(report):
    page, _ = write(report, "-f")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page.read_text())[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "connect-src" not in policy
    assert re.search(r"script-src 'sha256-[\w+/=]+';", policy)


# The modules of the page run in Node: they read the parts of a file and make tiles.
TILES = """
import { decodeEvents } from './file_data.js';
import { eventTile, storeTiles, StoredTiles } from './file_tiles.js';
import { readFileSync } from 'node:fs';
const { rows, wanted } = JSON.parse(readFileSync('wanted.json'));
const made = {};
const events = new Map([...decodeEvents(new Uint8Array(readFileSync('events')))].map((row) => [row.row, row]));
const stored = new Map(rows.map((row) => [row.id, new StoredTiles(row.id, Math.max(1, row.lanes), row.style === 'counter')]));
storeTiles(new Uint8Array(readFileSync('tiles').slice().buffer), stored);
for (const [row, level, index] of wanted) {
  const tile = events.has(row) ? eventTile(events.get(row), level, index) : stored.get(row).make(level, index);
  made[`${row} ${level} ${index}`] = Buffer.from(tile).toString('base64');
}
console.log(JSON.stringify(made));
"""


def elements(tile, durations):
    """What an event tile shows. Of events that are one element, any of the longest gives the name and the id."""
    magic, size, row, count, base = struct.unpack_from("<IIIIq", tile)
    assert (magic, size) == (0x314C5450, len(tile))
    columns, at = [], 40
    for kind in "IIIIIHH":
        columns.append(struct.unpack_from(f"<{count}{kind}", tile, at))
        at += (count * struct.calcsize(kind) + 7) // 8 * 8
    assert at == size
    rows = [(start, width, events, lane, flags, durations[number], (name, number) if events == 1 else None)
            for start, width, name, number, events, lane, flags in zip(*columns)]
    return row, base, tile[28:40], rows


def values(tile):
    """The numbers of a tile: of values all columns, of density how busy each step is."""
    count, style, level = struct.unpack_from("<I", tile, 12)[0], tile[31], tile[30]
    columns, at = [], 40
    for kind in {1: "dddIH", 2: "IIIf"}[style]:
        columns.append(struct.unpack_from(f"<{count}{kind}", tile, at))
        at += (count * struct.calcsize(kind) + 7) // 8 * 8
    if style == 1:
        return [number for column in columns for number in column]
    busy, width = [0.0] * 1024, 2**level // max(1, 2**level // 16)  # units in a step
    for start, units, _, share in zip(*columns):
        busy[start // width:(start + units) // width] = [share] * (units // width)
    return busy


@pytest.mark.skipif(not shutil.which("node"), reason="no node (package nodejs)")
def test_tiles_of_the_file_are_those_of_the_server(report, parts, tmp_path):
    for name in ("file_data.js", "file_tiles.js", "tile.js"):
        shutil.copy(PAGE / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "tiles.js").write_text(TILES)
    (tmp_path / "events").write_bytes(parts["events-0"])
    (tmp_path / "tiles").write_bytes(parts["tiles-0"])
    rows = json.loads(parts["rows"])["rows"]
    events = events_of(parts)
    assert {row["style"] for row in rows} == {"events", "counter", "density"}
    wanted = []
    for level in (0, 4, 7, 10, 13, 16, 20, 40):
        for row in rows:
            starts = {event[1] >> level >> 10 for event in events.get(row["id"], ())} or {0}
            wanted += [(row["id"], level, index) for index in sorted(starts)[:4] + [-1]]
    (tmp_path / "wanted.json").write_text(json.dumps({"rows": rows, "wanted": wanted}))
    done = subprocess.run(["node", "tiles.js"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    compared, stored = 0, parts["tiles-0"][30]  # the level from which the others are made
    with viewing(report) as server:
        server.exact_rows()
        for row, level, index in wanted:
            tile = server.get("tile", rows=row, level=level, index=index).body
            found = base64.b64decode(made[f"{row} {level} {index}"])
            if row in events:
                durations = {event[4]: event[2] for event in events[row]}
                assert elements(found, durations) == elements(tile, durations), (row, level, index)
                compared += struct.unpack_from("<I", tile, 12)[0]
            elif level >= stored:
                assert values(found) == pytest.approx(values(tile), rel=1e-5, abs=1e-5), (row, level, index)
    assert compared > 1000


@pytest.mark.parametrize("options,status,reason", [
    (["--port", "80", "--html", "x.html"], 2, "--html and --png need no server"), (["--filter-time", "1s/2s"], 2, "need --html"),
    (["--html", "/nowhere/x.html"], 1, "/nowhere/x.html"), (["--html", "x.html", "--filter-time=x"], 2, "x"),
    (["--html", "exists.html"], 1, "exists.html exists; use -f true to replace it")])
def test_wrong_usage_is_one_line(tmp_path, options, status, reason):
    path = make_report(tmp_path / "report.db", steps=1)
    (tmp_path / "exists.html").write_text("mine")
    done = prof("view", *options, path, cwd=tmp_path)
    assert done.returncode == status and reason in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert {each.name for each in tmp_path.iterdir()} == {"report.db", "exists.html"}
    assert (tmp_path / "exists.html").read_text() == "mine"


def test_a_picture(tmp_path):
    """Lanes are printed, and the picture has as many."""
    report = CAUSES["pageable copies"].make(tmp_path)
    picture = tmp_path / "picture.png"
    done = prof("view", "--png", picture, "--filter-time=0ms/300ms", report)
    assert (done.returncode, done.stderr) == (0, "")
    lanes = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lanes] == [str(number + 1) for number in range(len(lanes))]
    assert any(", kernels: " in line for line in lanes) and any(", copies: " in line for line in lanes)
    png = picture.read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (1_020, 20 * len(lanes))
    whole = prof("view", "--png", picture, "-f", "true", report)
    assert whole.returncode == 0 and picture.read_bytes() != png and whole.stdout != done.stdout
    for words, status, why in ((["--png", picture, report], 1, "exists"), (["--png", "x.png", report, report], 2, "one report"),
                               (["--png", "x.png", "--html", "x.html", report], 2, "exclude one another"), (["--png", "x.png", tmp_path], 2, "one report"),
                               (["--png", "x.png", "--port", "80", report], 2, "need no server"),
                               (["--png", "x.png", "--filter-time=1000s/", report], 1, "no event in this time")):
        done = prof("view", *words, cwd=tmp_path)
        assert done.returncode == status and why in done.stderr, (words, done)
    assert not list(tmp_path.glob("x.*"))
