#!/usr/bin/env python3
"""What the binaries of a package need from the system: binaries.py TREE [GLIBC]. Fails if it is more than glibc 2.28."""
import re
import subprocess
import sys
from pathlib import Path

OLDEST_GLIBC = "2.28"
# Parts of glibc. The injection libraries may need libc alone: a library more costs every process of the program.
IN_PROGRAMS = {"libc.so.6"}
IN_PROF = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
           "ld-linux-aarch64.so.1"}
IN_PROFS_PROCESSES = {"prof", "libprof_report.so"}
# Libraries that a program gets in place of these, which it has opened.
STAND_INS = {"libprof_opengl_egl.so": "libEGL.so.1", "libprof_opengl_gl.so": "libGL.so.1",
             "libprof_opengl_gles.so": "libGLESv2.so.2", "libprof_opengl_glx.so": "libGLX.so.0",
             "libprof_opengl_opengl.so": "libOpenGL.so.0"}


def number(version):
    return tuple(map(int, version.split(".")))


def binaries(tree):
    return [path for path in sorted(Path(tree).rglob("*"))
            if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"]


def readelf(*words):
    return subprocess.run(["readelf", "--wide", *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def glibc_of(path):
    """The newest glibc of which the file needs something."""
    needs = readelf("--version-info", path).partition("Version needs section")[2]
    return max(re.findall(r"Name: GLIBC_([\d.]+) ", needs), key=number, default="2.0")


def processor_of(tree):
    """As in the tag of a wheel."""
    header = readelf("--file-header", binaries(tree)[0])
    return "aarch64" if "AArch64" in header else "x86_64"


def newest_glibc(tree):
    return max((glibc_of(path) for path in binaries(tree)), key=number)


def faults_of(path, oldest):
    if number(glibc_of(path)) > number(oldest):
        yield f"needs glibc {glibc_of(path)}, which is newer than {oldest}"
    others = re.findall(r"Name: (?!GLIBC_)(\w+) ", readelf("--version-info", path).partition("Version needs section")[2])
    if others:
        yield f"needs versions of other libraries: {others}"
    dynamic = readelf("--dynamic", path)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    allowed = IN_PROF if path.name in IN_PROFS_PROCESSES else IN_PROGRAMS | {STAND_INS.get(path.name)}
    if not needed <= allowed:
        yield f"needs {', '.join(sorted(needed - allowed))}"
    if re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", dynamic):
        yield "has a search path or relocations in its code"
    if re.search(r"GNU_STACK.*RWE", readelf("--program-headers", path)):
        yield "has an executable stack"
    if ".symtab" in readelf("--section-headers", path):
        yield "is not stripped"


def main():
    tree, oldest = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else OLDEST_GLIBC
    faults = [f"{path}: {fault}" for path in binaries(tree) for fault in faults_of(path, oldest)]
    if faults or not binaries(tree):
        sys.exit("\n".join(faults) or f"{tree}: no binaries")


if __name__ == "__main__":
    main()
