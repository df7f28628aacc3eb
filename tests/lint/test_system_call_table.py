"""The tables of system calls are those of the kernel's headers, as far as these know them."""
import os
import re
from pathlib import Path

import pytest

FOLDER = Path(os.environ["PROF_SOURCE"]) / "collector" / "ingest" / "cpu"
HEADERS = [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")]
GENERIC = Path("/usr/include/asm-generic/unistd.h")  # aarch64's


def table(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    return {int(number): call for number, call in re.findall(r"^SYSTEM_CALL\((\d+), (\w+)\)$", text, re.M)}


def test_every_system_call_of_the_header_is_in_the_table():
    header = next((path for path in HEADERS if path.exists()), None)
    if header is None:
        pytest.skip("no headers of the kernel")
    calls = {int(number): name
             for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", header.read_text(), re.M)}
    known = table("system_calls.def")
    assert {number: name for number, name in calls.items() if known.get(number) != name} == {}


def test_every_generic_system_call_is_in_the_table_of_aarch64():
    if not GENERIC.exists():
        pytest.skip("no headers of the kernel")
    text = GENERIC.read_text(encoding="utf-8")
    # Those of 64-bit processors come first.
    both = re.findall(r"^#define __NR_(\w+) __NR3264_(\w+)$", text, re.M)
    names = {number: name for name, number in reversed(both)}
    calls = {int(number): name for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", text, re.M)}
    calls |= {int(number): names[name] for name, number in re.findall(r"^#define __NR3264_(\w+) (\d+)$", text, re.M)}
    # Names of 32-bit ports, whose numbers others do not use; "syscalls" is the first free number.
    calls = {number: name for number, name in calls.items()
             if name not in ("syscalls", "arch_specific_syscall")
             and not 403 <= number <= 423}
    known = table("system_calls_aarch64.def")
    assert len(calls) > 300
    assert {number: name for number, name in calls.items() if known.get(number) != name} == {}
