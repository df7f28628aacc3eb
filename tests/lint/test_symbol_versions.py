"""Holds what libprof_inject.so exports against libc. glibc has several versions of some functions, and each caller must
get its own (docs/decisions/0021). A new glibc may add one: then this fails there, and the version needs a wrapper."""
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.built
LIBRARY = Path(os.environ["PROF_BUILD"]) / "bin" / "libprof_inject.so"
SOURCE = Path(__file__).resolve().parents[2]
TABLE = SOURCE / "tests" / "programs" / "loading" / "versioned_functions.def"
LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "librt.so.1", "libdl.so.2", "libanl.so.1", "libutil.so.1")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def path_of(library):
    return output("gcc", f"-print-file-name={library}").strip()


def dynamic_symbols(path):
    """{name: {version: (address, is the default)}} of the functions that a library defines."""
    found = defaultdict(dict)
    for line in output("readelf", "-W", "--dyn-syms", path).splitlines():
        match = re.match(r" *\d+: (\w+) +\S+ I?FUNC +\w+ +\w+ +\d+ (\w+)(@@?)?(\S*)", line)
        if match:
            address, name, at, version = match.groups()
            found[name][version] = (address, at == "@@")
    return found


@pytest.fixture(name="ours", scope="module")
def fixture_ours():
    """{name: {version: is the default}}; a function without versions has the version ""."""
    return {name: {version: default for version, (_, default) in versions.items()}
            for name, versions in dynamic_symbols(LIBRARY).items() if name != "dlsym"}


def test_dlsym_has_all_of_glibcs_versions_and_no_default_one(libc):
    """Other C libraries, which know no versions, must find their own (injection/cuda/clients/lookup.cpp)."""
    ours = dynamic_symbols(LIBRARY).get("dlsym", {})
    assert not ours or ours.keys() == {"GLIBC_2.2.5", "GLIBC_2.34"} >= libc["dlsym"].keys()
    assert not any(default for _, default in ours.values())


@pytest.fixture(name="libc", scope="module")
def fixture_libc():
    found = defaultdict(dict)
    for library in LIBRARIES:
        for name, versions in dynamic_symbols(path_of(library)).items():
            for version, (address, default) in versions.items():
                found[name][version] = (f"{library} {address}", default)
    return found


def differ(versions):
    """Are there several versions of other code, or none that a new program would get?"""
    return len({address for address, _ in versions.values()}) > 1 or not any(is_ for _, is_ in versions.values())


def test_each_version_of_other_code_has_its_wrapper(ours, libc):
    expected = {name: {version: default for version, (_, default) in libc[name].items()}
                for name in ours if name in libc and differ(libc[name])}
    assert {name: versions for name, versions in ours.items() if "" not in versions} == expected


@pytest.mark.parametrize("library", [LIBRARY, "libc.so.6"])
def test_callers_without_versions_get_the_first_one(library):
    """The loader gives them the version with this number."""
    path = library if library == LIBRARY else path_of(library)
    assert re.search(r"Index: 2 .*Name: GLIBC_2\.2\.5$", output("readelf", "-W", "-V", path), re.M)


def test_a_program_calls_each_of_them(ours):
    text = TABLE.read_text(encoding="utf-8").split("/* not traced */")[0]
    called = {name: {old: False, newest: True} for name, old, newest in
              re.findall(r'^VERSIONED\((\w+),.*"(GLIBC_[\d.]+)", "(GLIBC_[\d.]+)"\)$', text, re.M)}
    # GLIBC_2.4 of lio_listio is the newest code.
    wrapped = {name: {version: default for version, default in versions.items() if version != "GLIBC_2.4"}
               for name, versions in ours.items() if "" not in versions and len(versions) > 1}
    assert called == wrapped
