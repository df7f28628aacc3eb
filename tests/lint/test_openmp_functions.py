"""What libprof_openmp.so and libprof_openacc.so export, read from the binaries: functions that libgomp has, too, and the
tool of OMPT."""
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.built
BIN = Path(os.environ["PROF_BUILD"]) / "bin"
ROOT = Path(os.environ["PROF_SOURCE"])


def listed(name):
    return set(re.findall(r"^\w+\((\w+)\)", (ROOT / "injection" / name).read_text(), re.M))


def symbols(path, *options):
    text = subprocess.run(["nm", "-D", *options, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return set(re.findall(r" [TW] (\w+)", text))


@pytest.fixture(name="libgomp")
def fixture_libgomp():
    found = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE, text=True, check=True)
    path = Path(found.stdout.strip())
    if not path.is_absolute():
        pytest.skip("libgomp is not installed")
    return symbols(path, "--defined-only")


@pytest.mark.parametrize("library, of_list, more", [("libprof_openmp.so", "openmp/gomp.def", {"ompt_start_tool"}),
                                                    ("libprof_openacc.so", "openacc/openacc.def", set())])
def test_exports(library, of_list, more):
    assert symbols(BIN / library, "--defined-only") == listed(of_list) | more


@pytest.mark.parametrize("of_list", ["openmp/gomp.def", "openacc/openacc.def"])
def test_libgomp_has_what_is_replaced(libgomp, of_list):
    assert listed(of_list) <= libgomp


@pytest.mark.parametrize("library", ["libprof_openmp.so", "libprof_openacc.so"])
def test_needs_libc_only(library):
    text = subprocess.run(["readelf", "-dW", BIN / library], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", text)) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
