"""What a process consists of, as far as prof attach must not change it."""
import contextlib
import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

MAPPING = re.compile(r"^(\w+)-(\w+) (\S+) (\w+) \S+ (\d+) *(.*)$", re.M)
OURS = "libprof_inject.so"


@dataclass
class Mapping:
    begin: int
    end: int
    rights: str
    offset: str
    path: str


def tree(root):
    """The process and all its child processes."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
            children.setdefault(int(parent), []).append(int(stat.parent.name))
    found = [root]
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def mappings(pid):
    text = Path(f"/proc/{pid}/maps").read_text(errors="replace")
    return [Mapping(int(begin, 16), int(end, 16), rights, offset, path)
            for begin, end, rights, offset, _, path in MAPPING.findall(text)]


def status_of(folder):
    fields = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
    found = {name: fields.get(name, "") for name in ("SigIgn", "Seccomp", "NoNewPrivs", "Uid", "CapEff")}
    # libc handles its signal 33 from the first thread on that the program starts.
    return {**found, "SigCgt": hex(int(fields["SigCgt"], 16) & ~(1 << 32))}


def threads(pid):
    """{thread: (name, blocked signals)}"""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            blocked = re.search(r"^SigBlk:\t(\w+)", (task / "status").read_text(), re.M)[1]
            found[int(task.name)] = (task / "comm").read_text().strip(), blocked
    return found


def descriptors(pid):
    found = {}
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found[int(each.name)] = os.readlink(each)
    return found


def is_file(mapping):
    return mapping.path.startswith("/") and not mapping.path.startswith(("/memfd:prof", "/dev/zero", "/dev/shm"))


@dataclass
class State:
    files: list = field(default_factory=list)  # mappings of files, without prof's
    ours: list = field(default_factory=list)
    anonymous: int = 0  # mappings
    anonymous_bytes: int = 0
    descriptors: dict = field(default_factory=dict)
    threads: dict = field(default_factory=dict)
    status: dict = field(default_factory=dict)
    environment: bytes = b""
    folder: str = ""
    pointers: int = 0  # in variables of files, that lead to prof's library


def words_between(data, low, high):
    """How many aligned words of 8 bytes are in [low, high)."""
    found = 0
    for upper in range(low >> 24, (high >> 24) + 1):
        pattern = upper.to_bytes(5, "little")
        at = data.find(pattern)
        while at >= 0:
            word = int.from_bytes(data[at - 3:at + 5], "little") if at % 8 == 3 else 0
            found += low <= word < high
            at = data.find(pattern, at + 1)
    return found


def pointers_to_prof(pid, maps):
    """How many words in variables of files are addresses in prof's library: the pointers to functions that prof
    changes are among them."""
    ours = [each for each in maps if each.path.endswith(OURS)]
    if not ours:
        return 0
    low, high = min(each.begin for each in ours), max(each.end for each in ours)
    found = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for each in maps:
            skipped = "x" in each.rights or "prof" in Path(each.path).name or "/ld-" in each.path or "libc.so.6" in each.path
            # Large files that are mapped to be read (archives of classes, buffers) have no pointers to functions.
            if not is_file(each) or skipped or "s" in each.rights or each.end - each.begin > 64 << 20:
                continue
            with contextlib.suppress(OSError, ValueError):
                memory.seek(each.begin)
                found += words_between(memory.read(each.end - each.begin), low, high)
    return found


def state_of(pid):
    maps = mappings(pid)
    folder = Path(f"/proc/{pid}")
    anonymous = [each for each in maps if not each.path]
    return State([(each.begin, each.end, each.rights, each.offset, each.path) for each in maps
                  if is_file(each) and not each.path.endswith(OURS)],
                 [(each.begin, each.end, each.rights) for each in maps if each.path.endswith(OURS)],
                 len(anonymous), sum(each.end - each.begin for each in anonymous), descriptors(pid), threads(pid),
                 status_of(folder), (folder / "environ").read_bytes(), os.readlink(folder / "cwd"),
                 pointers_to_prof(pid, maps))


def code_of(pid):
    """{(file, offset, rights): hash} of what is mapped from files and cannot be written: code, constants, and tables of
    functions that are protected once the loader has filled them."""
    found = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for each in mappings(pid):
            if not is_file(each) or "w" in each.rights or "r" not in each.rights or "s" in each.rights:
                continue
            if each.path.endswith(OURS) or each.end - each.begin > 64 << 20:
                continue
            with contextlib.suppress(OSError, ValueError):
                memory.seek(each.begin)
                digest = hashlib.blake2b(memory.read(each.end - each.begin), digest_size=16).hexdigest()
                found[each.path, each.offset, each.begin, each.rights] = digest
    return found


def differences(before, after):
    """What is not as before, in words."""
    found = []
    for name in ("files", "ours", "status", "environment", "folder", "pointers"):
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if name == "files":
            old, new = sorted(set(old) - set(new)), sorted(set(new) - set(old))
        found.append(f"{name}: {old} became {new}")
    for number in before.descriptors.keys() | after.descriptors.keys():
        old, new = before.descriptors.get(number), after.descriptors.get(number)
        if old != new:
            found.append(f"descriptor {number}: {old} became {new}")
    for number in before.threads.keys() | after.threads.keys():
        old, new = before.threads.get(number), after.threads.get(number)
        if old != new:
            found.append(f"thread {number}: {old} became {new}")
    return found
