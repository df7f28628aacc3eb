"""What libprof_opengl.so and the libraries that programs get in place of OpenGL's export, read from the binaries, and that
the libraries of libglvnd have these functions."""
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.built
BIN = Path(os.environ["PROF_BUILD"]) / "bin"
LIST = Path(os.environ["PROF_SOURCE"]) / "injection" / "graphics" / "opengl" / "opengl.def"
# The kinds of functions that each library has, as opengl.def says.
KINDS = {"egl": ("libEGL.so.1", {"EGL"}), "gl": ("libGL.so.1", {"COMMON", "DESKTOP", "LIBGL", "GLX"}),
         "gles": ("libGLESv2.so.2", {"COMMON"}), "glx": ("libGLX.so.0", {"GLX"}),
         "opengl": ("libOpenGL.so.0", {"COMMON", "DESKTOP"})}


def listed(kinds):
    found = re.findall(r"^(\w+)_FUNCTION\((\w+),", LIST.read_text(), re.M)
    return {name for kind, name in found if kind in kinds}


def symbols(path, *options):
    text = subprocess.run(["nm", "-D", *options, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return set(re.findall(r" [TWi] (\w+)", text))


def needed(path):
    text = subprocess.run(["readelf", "-dW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def test_exports():
    own = {"dlopen", "prof_opengl_library", "prof_opengl_wrapper"}
    every = {kind for _, kinds in KINDS.values() for kind in kinds}
    assert symbols(BIN / "libprof_opengl.so", "--defined-only") == listed(every) | own
    assert set(needed(BIN / "libprof_opengl.so")) <= {"libc.so.6", "ld-linux-x86-64.so.2"}


@pytest.mark.parametrize("name", KINDS)
def test_a_stand_in_has_the_functions_of_its_library(name):
    library, kinds = KINDS[name]
    path = BIN / f"libprof_opengl_{name}.so"
    assert symbols(path, "--defined-only") == listed(kinds)
    # The real library comes first, so its functions are found before those of others.
    assert needed(path) in ([library], [library, "libc.so.6"])


@pytest.mark.parametrize("name", KINDS)
def test_libglvnd_has_the_functions(name):
    library, kinds = KINDS[name]
    cache = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(rf"^\t{re.escape(library)} .*x86-64.* => (\S+)", cache, re.M)
    if not found:
        pytest.skip(f"{library} is not installed")
    exported = symbols(found[1], "--defined-only")
    if "libGLdispatch.so.0" not in needed(found[1]):
        pytest.skip(f"{found[1]} is not of libglvnd")
    assert listed(kinds) <= exported
    if name != "gles":  # it has functions of extensions, which other libraries lack
        assert not (listed({"EXTENSION"}) & exported)
