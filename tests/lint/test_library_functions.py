"""The lists of functions of NVIDIA's libraries against their headers, and what is built of them."""
import re
import subprocess

import pytest
from library_functions import CUDA, FOLDER, HEADERS, declarations, declared, listed, listed_products, products, stack_words
from test_injected_library import BUILD, tool, undefined

LIBRARIES = sorted(HEADERS)


def headers(library):
    found = declared(library)
    if not found:
        pytest.skip(f"no headers of {library} in {CUDA}")
    return found


@pytest.mark.parametrize("library", LIBRARIES)
def test_list_is_readable(library):
    lines = [line for line in (FOLDER / f"{library}.def").read_text().splitlines() if not line.startswith("//")]
    assert all(re.fullmatch(r"LIBRARY_(STATUS|TEXT|VALUE)\(\w+\)", line) for line in lines)
    names = list(listed(library))
    assert names == sorted(names) and len(names) == len(lines)


@pytest.mark.parametrize("library", LIBRARIES)
def test_list_has_what_the_headers_declare(library):
    wrong = {name: kind for name, kind in headers(library).items() if listed(library).get(name) != kind}
    assert not wrong, "run tests/lint/library_functions.py --write"


def test_products_are_those_of_the_headers():
    headers("cublas")
    found, known = products(), listed_products()
    wrong = {name: parameters for name, parameters in found.items() if known.get(name) != parameters}
    assert len(found) > 150 and not wrong, "run tests/lint/library_functions.py --write"
    assert list(known) == sorted(known) and set(known) <= set(listed("cublas"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_copied_stack_is_large_enough(library):
    headers(library)
    window = int(re.search(r"^#define WINDOW (\d+)", (FOLDER / "trampolines_x86_64.S").read_text(), re.M).group(1)) // 8
    too_long = {name: words for _, name, parameters in declarations(library)
                if (words := stack_words(parameters)) > window}
    assert not too_long


@pytest.mark.built
@pytest.mark.parametrize("library", LIBRARIES)
def test_exports_the_list_and_no_more(library):
    path = BUILD / "bin" / f"libprof_{library}.so"
    exported = set(re.findall(r" [TDBW] ([\w.]+)", tool("nm", "-D", "--defined-only", path)))
    assert exported == set(listed(library))


@pytest.mark.built
@pytest.mark.parametrize("library", LIBRARIES)
def test_uses_the_loader_and_our_library_alone(library):
    path = BUILD / "bin" / f"libprof_{library}.so"
    dynamic = tool("readelf", "-dW", path)
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    assert "NODELETE" in dynamic and "NOW" in dynamic
    assert not re.search(r"^\s+TLS\s", tool("readelf", "-lW", path), re.M)
    assert "RWE" not in tool("readelf", "-lW", path)
    assert {name.split("@")[0] for name in undefined(path)} <= {
        # finding the real functions
        "dlsym", "dlopen", "dlclose", "dlerror", "dl_iterate_phdr", "_dl_find_object", "_r_debug",
        "__errno_location",
        "strrchr", "strncmp", "strlen", "memcpy",
        # recording: weak, of libprof_inject.so
        "prof_begin_library_call", "prof_end_library_call", "prof_library_missing", "prof_time",
        "prof_write_library_record",
        # of the linker and the C runtime's start files
        "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"}


@pytest.mark.built
@pytest.mark.parametrize("library", LIBRARIES)
def test_unwinders_know_every_instruction(library):
    """Debuggers and exceptions pass through: the trampolines' code has frame descriptions throughout."""
    path = BUILD / "bin" / f"libprof_{library}.so"
    frames = subprocess.run(["readelf", "--debug-dump=frames", path], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    ranges = [(int(a, 16), int(b, 16)) for a, b in re.findall(r"FDE .*pc=(\w+)\.\.(\w+)", frames)]
    starts = [int(line.split()[0], 16) for line in tool("nm", "-D", "--defined-only", path).splitlines()]
    assert all(any(low <= start and start + 16 <= high + 3 for low, high in ranges) for start in starts)
