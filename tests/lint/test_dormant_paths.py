"""A wrapped function that nobody records costs six instructions, and saves no register: read from the binary."""
import os
import platform
import shutil
from pathlib import Path

import pytest
from dormant_paths import functions, to_real_function
from osrt_table import symbols

pytestmark = pytest.mark.built
LIBRARY = Path(os.environ["PROF_BUILD"]) / "bin" / "libprof_inject.so"
MOST = 6

# These do something first that has to be done while nobody collects, too.
OTHERS = {
    "fcntl", "fcntl64", "__fcntl", "lockf", "lockf64",  # a process that uses record locks is known
    "pthread_create", "thrd_create", "fork", "__fork", "_Fork", "forkpty",  # children introduce themselves
    "posix_spawn", "posix_spawnp", "system", "popen",  # children find the session
    "mlockall", "syscall",
}

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="reads the code of x86-64"),
    pytest.mark.skipif(not shutil.which("objdump"), reason="objdump is not installed"),
]


def test_leaves_at_once():
    code = functions(LIBRARY)
    slow = {}
    for name in symbols() - OTHERS:
        path = to_real_function(code[name])
        if path is None or len(path) > MOST or any(word.startswith(("push", "sub")) for word in path):
            slow[name] = path
    assert not slow


def test_others_are_not_gated():
    """The list above is up to date."""
    code = functions(LIBRARY)
    assert not {name for name in OTHERS & set(code) if f"prof_awake_{name}" in code}
