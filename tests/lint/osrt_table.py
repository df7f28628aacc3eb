#!/usr/bin/env python3
"""docs/osrt-functions.md from the tables of injection: prints it, or writes it with --write."""
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "common" / "wire" / "functions" / "osrt.def"
CATEGORIES = ROOT / "common" / "wire" / "functions" / "categories.def"
PROCESS_TABLE = ROOT / "common" / "wire" / "functions" / "process.def"
PAGE = ROOT / "docs" / "osrt-functions.md"

# Names of records that are not symbols: system calls made through syscall(2).
NOT_SYMBOLS = {"futex", "io_uring_enter"}

NOTES = """\
## When a call is recorded

A call is recorded if it takes at least `--osrt-threshold` ns (1000 by default). Shorter calls are only counted
(`prof stats -r osrt_short_sum`). Of some functions, only calls that may have to wait are recorded or counted:

- **Locks** (`pthread_mutex_*lock`, `pthread_rwlock_*lock`, `pthread_spin_lock`, `mtx_lock`, `mtx_timedlock`,
  `sem_wait`, `sem_timedwait`, `sem_clockwait`, `flockfile`): calls that find the lock taken, as in nsys.
- **Wake-ups** (`pthread_cond_signal`, `pthread_cond_broadcast`, `cnd_signal`, `cnd_broadcast`): calls while a thread
  waits.
- **Single characters** (`fgetc`, `getc`, `getchar`, `fputc`, `putc`, `putchar` and their `_unlocked` variants): calls
  that find the buffer empty, or full. Compilers inline the `_unlocked` variants, which call libc only in that case.
- **`syscall`**: recorded as `futex` or `io_uring_enter` if it is one of these, else as `syscall`. System calls that
  make a child process are not recorded.
- **`fork`, `_Fork`, `forkpty`**: the parent's call.

A public name is recorded under itself, large-file variants too. Reserved names, which fortified programs and those
built with old headers call, are recorded under the public one. So are old versions of a function, which old programs
call (`pthread_cond_wait@GLIBC_2.2.5`).

## What is not traced

| functions | why |
|---|---|
| `vfork`, `clone` | The child uses its parent's stack, or its thread's state, during the parent's call |
| `exec*`, `exit`, `_exit` | They do not return. The exec family is wrapped to keep the new program in the session |
| `dlopen`, `dlclose` | `dlopen` searches where its caller says (RUNPATH, `$ORIGIN`) and knows the caller by its return address: in a wrapper it would search for prof. `dlclose` alone would say little |
| `daemon` | It does not return in the process that called it |
| `*_trylock`, `sem_trywait`, `ftrylockfile`, `sem_post`, `*_unlock`, `pthread_detach`, `pthread_once` | They never wait, or cost less than two clock readings; `pthread_once` waits once |
| `brk`, `sbrk`, `malloc` and similar | The heap is not the OS runtime; hooks of `malloc` make every call inside libc recursive |
| `lseek`, `getpid`, `umask`, `sigaction`, `setsockopt`, `prctl` and similar | System calls that neither wait nor transfer anything |
| `aio_error`, `aio_return`, `gai_error` | They only look at memory |
| `scanf` and similar | Their names change with the C standard of the program (`__isoc99_`, `__isoc23_`) |
| `fts_*`, `openlog`, NIS, RPC, `utmp` | Rarely used; the calls inside libc are not seen from outside |
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
        f"`-t osrt` traces these {count} functions, which `prof status --osrt` lists too. In parentheses: other entry points that",
        "are recorded under the same name.", ""]
    for category, names in categories.items():
        entries = []
        for name, _ in sorted(names):
            others = aliases.get(name, [])
            entries.append(f"`{name}`" + (f" (`{'`, `'.join(others)}`)" if others else ""))
        lines += textwrap.wrap(f"**{titles()[category]}**: " + ", ".join(entries), 120,
                               break_long_words=False, break_on_hyphens=False) + [""]
    lines += NOTES.splitlines()
    lines += ["", "Made from `osrt.def` and `process.def` in `common/wire/functions` by `tests/lint/osrt_table.py --write`.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page())
