"""The list of MPI functions against the standard and the MPI libraries of this machine, and what is built of it."""
import re

import pytest
from mpi_functions import INSTALLED, LIST, exported, listed, redirected, standard, text_of
from test_injected_library import BUILD, tool, undefined

LIBRARY = BUILD / "bin" / "libprof_mpi.so"


def test_roles_are_those_of_the_standard():
    if not standard():
        pytest.skip("pympistandard is not installed")
    assert LIST.read_text() == text_of(listed()), "run tests/lint/mpi_functions.py --write"


def test_others_are_those_of_the_standard():
    """Functions that are redirected are not exported, and are not in the list of those that are."""
    lines = LIST.read_text().splitlines()
    others = [line.split("(")[1].split(",")[0] for line in lines if line.startswith("MPI_REDIRECTED(")]
    assert others == sorted(others) and not set(others) & set(listed())
    if standard():
        assert others == sorted(redirected(set(listed())))


@pytest.mark.parametrize("library", INSTALLED, ids=lambda path: path.name)
def test_every_library_has_the_functions(library):
    """A program that looks for a function which its MPI lacks would find prof's."""
    assert not set(listed()) - exported(library)


@pytest.mark.built
def test_exports_the_list_and_no_more():
    names = set(re.findall(r" [TDBW] ([\w.]+)", tool("nm", "-D", "--defined-only", LIBRARY)))
    assert names == {prefix + name for name in listed() for prefix in ("", "P")}


@pytest.mark.built
def test_uses_the_loader_and_our_library_alone():
    """In particular no function of MPI, which would bind it to one library."""
    dynamic = tool("readelf", "-dW", LIBRARY)
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    assert "NODELETE" in dynamic and "NOW" in dynamic
    assert "__tls_get_addr" not in undefined(LIBRARY)
    assert not [name for name in undefined(LIBRARY) if "MPI" in name]
