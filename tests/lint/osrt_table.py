#!/usr/bin/env python3
"""docs/osrt-functions.md from injection/osrt/functions.def: prints it, or writes it with --write."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "injection" / "osrt" / "functions.def"
PAGE = ROOT / "docs" / "osrt-functions.md"

TITLES = {
    "file": "Files and descriptors", "stdio": "Buffered files", "wait": "Waiting for descriptors",
    "sleep": "Sleeping", "thread": "Threads", "lock": "Locks", "process": "Processes",
    "socket": "Sockets", "memory": "Memory maps",
}
# Recorded too, but wrapped in injection/process, where children are kept in the session.
PROCESS_FUNCTIONS = ["posix_spawn", "posix_spawnp", "system", "popen"]


def functions():
    """{category: [(name, special)]}, {name: [aliases]}"""
    text = TABLE.read_text()
    categories, aliases = {}, {}
    for name, rest in re.findall(r"^OSRT\((\w+),(.*)\)$", text, re.M):
        category, flags, _ = [word.strip() for word in rest.rsplit(",", 3)[1:]]
        categories.setdefault(category, []).append((name, flags == "special"))
    for symbol, name in re.findall(r"^OSRT_ALIAS\((\w+),\s*(\w+)", text, re.M):
        aliases.setdefault(name, []).append(symbol)
    categories["process"] += [(name, False) for name in PROCESS_FUNCTIONS]
    return categories, aliases


def page():
    categories, aliases = functions()
    count = sum(map(len, categories.values()))
    lines = [
        "# Traced OS-runtime functions", "",
        f"`-t osrt` records calls of these {count} functions that take at least `--osrt-threshold` ns (1000 by",
        "default). In parentheses: other entry points that are recorded under the same name.", ""]
    for category, names in categories.items():
        entries = []
        for name, _ in sorted(names):
            others = aliases.get(name, [])
            entries.append(f"`{name}`" + (f" (`{'`, `'.join(others)}`)" if others else ""))
        lines += [f"**{TITLES[category]}**: " + ", ".join(entries), ""]
    lines += [
        "Locks (`pthread_mutex_lock`, `pthread_mutex_timedlock`, `pthread_rwlock_rdlock`,",
        "`pthread_rwlock_wrlock`, `sem_wait`, `sem_timedwait`) are recorded only when they contend.", "",
        "Made from `injection/osrt/functions.def` by `tests/lint/osrt_table.py --write`.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page())
