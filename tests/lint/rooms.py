"""The rooms of the source tree: docs/rooms.tsv says what each folder does and which others it may use. This module
reads it, and with --write makes the table of docs/architecture.md from it. cmake/Rooms.cmake checks what targets link."""
import os
import sys
from pathlib import Path

ROOT = Path(os.environ.get("PROF_SOURCE", Path(__file__).resolve().parents[2]))
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- from rooms.tsv: tests/lint/rooms.py --write -->\n", "<!-- end of rooms.tsv -->\n"


def rows():
    """(folder, folders that it may use, what it does) of each room."""
    for line in (ROOT / "docs" / "rooms.tsv").read_text().splitlines()[1:]:
        folder, _, uses, purpose = line.split("\t")
        yield folder, set() if uses == "-" else set(uses.split()), purpose


TOPS = tuple(dict.fromkeys(folder.split("/")[0] for folder, _, _ in rows()))  # common, injection, ...


def short(folder, names):
    """The last part of a folder, and as many before it as tell it from others of that name."""
    parts = folder.split("/")
    for count in range(1, len(parts) + 1):
        name = "/".join(parts[-count:])
        if sum(f"/{other}".endswith(f"/{name}") for other in names) == 1:
            return name
    return folder


def table():
    names = [folder for folder, _, _ in rows()]
    lines = ["| folder | what it does | may use |", "|---|---|---|"]
    for folder, uses, purpose in rows():
        lines.append(f"| `{folder}` | {purpose} | {', '.join(short(each, names) for each in names if each in uses) or '–'} |")
    return "".join(f"{line}\n" for line in lines)


def page():
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.write_text(page())
