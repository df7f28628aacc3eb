"""The lists of UCX's and OpenSHMEM's functions against the headers of this machine, and what is built of them."""
import re

import pytest
from message_functions import (COMPLEX, INTEGERS, REALS, SHMEM, SHMEM_INCLUDE, UCX, listed, shmem_declared, shmem_roles,
                               shmem_text, ucx_declared, ucx_line, ucx_text)
from test_injected_library import BUILD, tool, undefined

# Functions that nsys does not trace either: they only ask something. And those of Open MPI alone.
NOT_RECORDED = re.compile(
    r"shmem_(my_pe|n_pes|ptr|global_exit|pe_accessible|addr_accessible|query_thread|info_get_\w+|ctx_(create|destroy|get_team)|"
    r"\w+_test|(set|clear)_cache\w*|udcflush\w*|team_\w+|char_wait\w*|broadcast)$")


def test_ucx_list_is_that_of_the_header():
    if not ucx_declared():
        pytest.skip("libucx-dev is not installed")
    lines = dict(zip(listed(UCX), [line for line in UCX.read_text().splitlines() if not line.startswith("//")]))
    declared = ucx_declared()
    # Another version of UCX has some more, or some less.
    wrong = [name for name in set(lines) & set(declared) if lines[name] + "\n" != ucx_line(name, declared[name])]
    assert not wrong and len(set(lines) & set(declared)) > 60, "run tests/lint/message_functions.py --write"


def test_oshmem_list_is_that_of_the_rules():
    assert SHMEM.read_text() == shmem_text(), "run tests/lint/message_functions.py --write"


def integer_parameters(parameters):
    """Those that are passed in registers for integers: (name, is an int)."""
    found = []
    for each in [] if parameters == "void" else parameters.split(","):
        real = re.search(r"\b(float|double|_Complex|complex)\b", each) and "*" not in each
        if not real:
            found.append((each.split()[-1].lstrip("*"), "*" not in each and re.match(r"\s*int\b", each) is not None))
    return found


def test_roles_are_those_of_the_header():
    declared = shmem_declared()
    if not declared:
        pytest.skip(f"{SHMEM_INCLUDE} has no shmem.h")
    functions = shmem_roles()
    assert not [name for name in declared if name not in functions and not NOT_RECORDED.match(name)]
    for name in set(functions) & set(declared):
        given, roles = integer_parameters(declared[name]), functions[name]
        peer = next((index for index, (word, _) in enumerate(given) if word in ("pe", "PE_root")), None)
        assert roles.get("peer") == peer, name
        counts = [index for index, (word, _) in enumerate(given) if word in ("len", "nelems", "nlong", "nreduce")]
        count = roles.get("count", roles.get("int_count"))
        assert [count] == counts if counts else count is None, name
        if count is not None:
            assert given[count][1] == ("int_count" in roles), name


def test_sizes_are_those_of_the_names():
    sizes = INTEGERS | REALS | COMPLEX
    for name, roles in shmem_roles().items():
        kind = re.match(r"shmem_(?:ctx_)?([a-z]+\d*)_(?:i?put|i?get|[pg]$|atomic|\w+_reduce|\w+_to_all)", name)
        if kind and kind.group(1) in sizes:
            assert roles["bytes"] == sizes[kind.group(1)], name


@pytest.mark.built
@pytest.mark.parametrize("name, path", [("ucx", UCX), ("oshmem", SHMEM)])
def test_exports_the_list_and_no_more(name, path):
    library = BUILD / "bin" / f"libprof_{name}.so"
    assert set(re.findall(r" [TDBW] ([\w.]+)", tool("nm", "-D", "--defined-only", library))) == set(listed(path))
    dynamic = tool("readelf", "-dW", library)
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    assert "NODELETE" in dynamic and "NOW" in dynamic
    assert "__tls_get_addr" not in undefined(library)
    assert not [each for each in undefined(library) if each.startswith(("ucp_", "shmem_"))]
