"""The table of system calls is that of the kernel's headers, as far as these know it."""
import os
import re
from pathlib import Path

import pytest

TABLE = Path(os.environ["PROF_SOURCE"]) / "collector" / "ingest" / "cpu" / "system_calls.def"
HEADERS = [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")]


def test_every_system_call_of_the_header_is_in_the_table():
    header = next((path for path in HEADERS if path.exists()), None)
    if header is None:
        pytest.skip("no headers of the kernel")
    calls = {int(number): name
             for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", header.read_text(), re.M)}
    table = {int(number): name
             for number, name in re.findall(r"^SYSTEM_CALL\((\d+), (\w+)\)$", TABLE.read_text(), re.M)}
    assert {number: name for number, name in calls.items() if table.get(number) != name} == {}
