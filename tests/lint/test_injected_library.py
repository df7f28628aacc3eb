"""What may not be in libprof_inject.so: read from the binary."""
import os
import platform
import re
import subprocess
from pathlib import Path

import pytest
from osrt_table import symbols

pytestmark = pytest.mark.built
BUILD = Path(os.environ["PROF_BUILD"])
LIBRARY = BUILD / "bin" / "libprof_inject.so"
PROF = BUILD / "bin" / "prof"
CUPTI_EXPORTS = Path(os.environ["PROF_SOURCE"]) / "injection" / "cuda" / "clients" / "exports.cpp"
NEWEST_GLIBC = (2, 35)


def tool(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(name="plain_prof")
def fixture_plain_prof():
    if re.search(r"lib[at]san", tool("readelf", "-dW", PROF)):
        pytest.skip("prof is built with a sanitizer")
    return PROF


def undefined(path):
    return set(re.findall(r"^\s+[Uw] ([\w.]+)", tool("nm", "-D", path), re.M))


def test_needs_libc_only():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-dW", LIBRARY))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}


def test_is_bound_at_load_and_never_unloaded():
    flags = tool("readelf", "-dW", LIBRARY)
    assert "NODELETE" in flags and "NOW" in flags


def test_only_our_constructors_run_at_load():
    """A dynamic initialiser costs page faults in every process, and comes after the constructors (of core,
    priority 101, and python and sampler, 102), whose work it would undo."""
    array = re.search(r" \.init_array\s+INIT_ARRAY\s+\w+ \w+ (\w+)", tool("readelf", "-SW", LIBRARY))
    # frame_dummy is the compiler's own.
    assert int(array.group(1), 16) // 8 <= 4, tool("nm", "-C", LIBRARY)


def test_thread_local_storage_is_small():
    sizes = [int(size, 16) for size in
             re.findall(r"^\s+TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x\w+)", tool("readelf", "-lW", LIBRARY), re.M)]
    assert len(sizes) == 1 and sizes[0] <= 256


def test_thread_local_storage_is_initial_exec():
    assert "STATIC_TLS" in tool("readelf", "-dW", LIBRARY)
    assert "__tls_get_addr" not in undefined(LIBRARY)


def test_exports_the_wrapped_functions_and_the_doors():
    exported = set(re.findall(r" [TDBW] ([\w.]+)", tool("nm", "-D", "--defined-only", LIBRARY)))
    wrapped = symbols()
    environment = {"execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "execveat",
                   "fexecve", "prctl", "pthread_setname_np"}
    exits = {"_exit", "_Exit", "quick_exit"}  # CUPTI's last records are fetched before
    # Not recorded: they make or change thread-local data; other code may take a library's place.
    watched = {"clone", "arch_prctl", "__arch_prctl", "dlclose"}
    room = {"setrlimit", "setrlimit64", "prlimit", "prlimit64"}  # memory is given back before
    # The sampler's signal is kept from the program's view.
    signals = {"sigaction", "__sigaction", "signal", "bsd_signal", "ssignal", "sysv_signal", "__sysv_signal", "sigset",
               "sigignore", "pthread_sigmask", "sigprocmask", "sigaltstack"}
    doors = {"__asan_default_options", "InitializeInjectionNvtx2", "InitializeInjectionNvtxExtension",
             "prof_begin_frames", "prof_begin_library_call", "prof_end_frame", "prof_end_library_call",
             "prof_graphics_flags",
             "prof_intern_bytes", "prof_intern_text", "prof_is_library_traced",
             "prof_library_missing", "prof_report_openmp_tool", "prof_time", "prof_write_library_definition",
             "prof_write_library_event", "prof_write_library_record",
             "prof_attach", "prof_attach_block"}
    if "PROF_CUDA_INCLUDE:PATH=/" in (BUILD / "CMakeCache.txt").read_text():
        doors.add("InitializeInjection")
        # CUPTI's own, for other users of CUPTI in the process, and what finds them.
        doors |= {"dlsym"} | set(re.findall(r"OF_\w+\(\s*(cupti\w+)", CUPTI_EXPORTS.read_text()))
    if "PROF_VULKAN_INCLUDE:PATH=/" in (BUILD / "CMakeCache.txt").read_text():
        doors.add("prof_negotiate_vulkan_layer")  # of the Vulkan loader
    assert exported == wrapped | environment | exits | watched | room | signals | doors


def test_calls_nothing_that_allocates_locks_prints_or_throws():
    allowed = {
        # finding the real functions, at start
        "dlsym", "dlvsym", "_dl_find_object", "_r_debug",
        # finding libcupti and the driver, in the program's cuInit
        "dlopen", "dl_iterate_phdr", "strrchr",
        # clearing an error of these, which the program must not see
        "dlerror",
        # fetching CUPTI's last records before the driver's own exit handlers run
        "__cxa_atexit", "pthread_attr_init", "pthread_attr_setdetachstate", "pthread_attr_destroy",
        # the thread that prof attach starts
        "pthread_detach", "__register_atfork",
        # plain memory and text
        "memcmp", "memcpy", "memmove", "memset", "strchr", "strcspn", "strlen", "strnlen", "strncmp", "strcmp", "strspn",
        "strstr", "strcpy", "strncpy",
        # clocks, threads
        "clock_gettime", "getauxval", "pthread_key_create", "pthread_setspecific", "pthread_self",
        "__libc_single_threaded", "__errno_location",
        # looking at their buffers
        "stdin", "stdout", "dirfd",
        # the environment of children
        "environ", "__environ",
        # of the linker and the C runtime's start files
        "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable",
        "_ITM_registerTMCloneTable"}
    called = {name.split("@")[0] for name in undefined(LIBRARY)}
    assert called <= allowed, called - allowed


def test_contains_no_cpp_runtime():
    symbols = tool("nm", "-C", LIBRARY)
    for word in ("std::", "operator new", "__cxa_throw", "__gxx_personality", "typeinfo for"):
        found = [line for line in symbols.splitlines() if word in line and "std::atomic" not in line]
        assert not found, found


def test_wraps_only_what_the_oldest_supported_glibc_has():
    libc = tool("nm", "-D", "--defined-only", tool("gcc", "-print-file-name=libc.so.6").strip())
    oldest = {}
    for name, major, minor in re.findall(r" [TWi] (\w+)@+GLIBC_(\d+)\.(\d+)", libc):
        version = (int(major), int(minor))
        oldest[name] = min(version, oldest.get(name, version))
    missing = {name for name in symbols() if oldest.get(name, (9, 9)) > NEWEST_GLIBC}
    assert not missing


@pytest.mark.skipif(tuple(map(int, platform.libc_ver()[1].split("."))) > (2, 36),
                    reason="packages are made on Debian 12, this system's glibc is newer")
def test_runs_on_the_oldest_supported_glibc(plain_prof):
    for path in (*BUILD.glob("bin/libprof_*.so"), plain_prof):
        versions = re.findall(r"\*UND\*.*GLIBC_(\d+)\.(\d+)", tool("objdump", "-T", path))
        newest = max(((int(major), int(minor)) for major, minor in versions), default=(2, 0))
        assert newest <= NEWEST_GLIBC, path


def test_prof_links_everything_but_glibc_statically(plain_prof):
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-dW", plain_prof))
    allowed = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
    if "PROF_SHARED_DW_LIBRARY" in (BUILD / "CMakeCache.txt").read_text():  # cmake/Dependencies.cmake
        allowed |= {"libdw.so.1", "libelf.so.1"}
    assert set(needed) <= allowed
