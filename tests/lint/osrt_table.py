#!/usr/bin/env python3
"""docs/osrt-functions.md from the tables of injection: prints it, or writes it with --write."""
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "injection" / "osrt" / "functions.def"
CATEGORIES = ROOT / "injection" / "osrt" / "categories.def"
PROCESS_TABLE = ROOT / "injection" / "process" / "functions.def"
PAGE = ROOT / "docs" / "osrt-functions.md"

# Recorded under names that are not symbols: system calls made through syscall(2).
NOT_SYMBOLS = {"futex", "io_uring_enter"}

NOTES = """\
## When a call is recorded

A call is recorded if it takes at least `--osrt-threshold` ns (1000 by default). Of some functions only those calls count that
may have to wait:

- **Locks** (`pthread_mutex_*lock`, `pthread_rwlock_*lock`, `pthread_spin_lock`, `mtx_lock`, `mtx_timedlock`, `sem_wait`,
  `sem_timedwait`, `sem_clockwait`, `flockfile`): calls that find the lock taken, as in nsys.
- **Wake-ups** (`pthread_cond_signal`, `pthread_cond_broadcast`, `cnd_signal`, `cnd_broadcast`): calls that find somebody waiting.
- **Single characters** (`fgetc`, `getc`, `getchar`, `fputc`, `putc`, `putchar` and their `_unlocked` variants): calls that find the
  buffer empty, or full. What programs inline of the `_unlocked` variants calls libc in that case only.
- **`syscall`**: recorded as `futex` or `io_uring_enter` if it is one of these, else as `syscall`. System calls that make a child are left
  alone.
- **`fork`, `_Fork`, `forkpty`**: the parent's call.

A public name is recorded under itself, large-file variants too. Reserved names, which fortified programs and those built with old
headers call, are recorded under the public one.

## What is left out

| functions | why |
|---|---|
| `vfork`, `clone` | The child uses its parent's stack, or its thread's state, while the parent's call is still in progress |
| `exec*`, `exit`, `_exit` | They do not return. The exec family is wrapped to keep the new program in the session |
| `dlopen`, `dlclose` | `dlopen` looks for libraries where its caller says (RUNPATH, `$ORIGIN`), and who that is it sees from its return address: behind a wrapper it would search where prof says. `dlclose` alone would say little |
| `daemon` | Nobody returns from it in the process that called it |
| `*_trylock`, `sem_trywait`, `ftrylockfile`, `sem_post`, `*_unlock`, `pthread_detach`, `pthread_once` | They never wait, or cost less than the two clock readings; `pthread_once` waits once |
| `brk`, `sbrk`, `malloc` and its kin | The heap is not the OS runtime; `malloc` hooks turn every call inside libc into a recursion |
| `lseek`, `getpid`, `umask`, `sigaction`, `setsockopt`, `prctl` and their like | System calls that neither wait nor transfer anything |
| `aio_error`, `aio_return`, `gai_error` | They look at memory |
| `scanf` and its kin | Their names change with the C standard that a program is built for (`__isoc99_`, `__isoc23_`); what they read shows as nothing |
| `fts_*`, `syslog`'s `openlog`, NIS, RPC, `utmp` | Little used; the calls inside libc are not seen from outside |
| functions newer than glibc 2.35 | A wrapper would offer what an older libc does not have |
"""


def process_functions():
    """[(name, category)] of what injection/process records."""
    return re.findall(r"^PROCESS_FUNCTION\((\w+), (\w+)\)$", PROCESS_TABLE.read_text(), re.M)


def titles():
    """{category: title}, in order."""
    return dict(re.findall(r'^OSRT_CATEGORY\((\w+), "(.*)"\)$', CATEGORIES.read_text(), re.M))


def functions():
    """{category: [(name, special)]}, {name: [aliases]}"""
    text = TABLE.read_text()
    categories, aliases = {category: [] for category in titles()}, {}
    for name, rest in re.findall(r"^OSRT\((\w+),(.*)\)$", text, re.M):
        category, flags, _ = [word.strip() for word in rest.rsplit(",", 3)[1:]]
        categories[category].append((name, flags == "special"))
    for symbol, name in re.findall(r"^OSRT_ALIAS\((\w+),\s*(\w+)", text, re.M):
        aliases.setdefault(name, []).append(symbol)
    for name, category in process_functions():
        categories[category].append((name, True))
    return categories, aliases


def symbols():
    """Every symbol that is wrapped to be recorded."""
    categories, aliases = functions()
    names = {name for entries in categories.values() for name, _ in entries}
    return (names | {symbol for entries in aliases.values() for symbol in entries}) - NOT_SYMBOLS


def page():
    categories, aliases = functions()
    count = sum(map(len, categories.values()))
    lines = [
        "# Traced OS-runtime functions", "",
        f"`-t osrt` traces these {count} functions, which `prof status --osrt` lists too. In parentheses: other entry points that are",
        "recorded under the same name.", ""]
    for category, names in categories.items():
        entries = []
        for name, _ in sorted(names):
            others = aliases.get(name, [])
            entries.append(f"`{name}`" + (f" (`{'`, `'.join(others)}`)" if others else ""))
        lines += textwrap.wrap(f"**{titles()[category]}**: " + ", ".join(entries), 130,
                               break_long_words=False, break_on_hyphens=False) + [""]
    lines += NOTES.splitlines()
    lines += ["", "Made from `injection/osrt/functions.def` and `injection/process/functions.def` by "
              "`tests/lint/osrt_table.py --write`.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page())
