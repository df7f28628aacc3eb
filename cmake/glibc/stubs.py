#!/usr/bin/env python3
"""Makes libraries to link with that have only what an old glibc has: stubs.py FLOOR OUTPUT [COMPILER]

A function has in the stub its newest version up to FLOOR (2.27). So the linker asks for that version, and a function that
is younger is an error. The versions come from this machine's glibc, which keeps all old ones. A part of today's libc was
in libpthread, libdl and librt, and loaders before glibc 2.30 refuse a function that is not in the library that the
program names. So such functions are in the stubs of these libraries (docs/decisions, "One build for glibc 2.28").
"""
import re
import subprocess
import sys
from pathlib import Path

# Functions that came to libc in glibc 2.32 to 2.34 have a version of then beside their older ones.
MOVED = ((2, 32), (2, 34))
ORIGINS = {"libdl.so.2": re.compile("dl"), "librt.so.1": re.compile("aio_|lio_|(__)?mq_|shm_|timer_"),
           "libutil.so.1": re.compile("forkpty|log(in|out|wtmp)|openpty"), "libanl.so.1": re.compile("gai_|getaddrinfo_a"),
           "libresolv.so.2": re.compile("ns_"), "libpthread.so.0": re.compile("")}
LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
SYMBOL = re.compile(r"^ *\d+: \w+ +(\w+) (FUNC|IFUNC|OBJECT|TLS|NOTYPE) +(?:GLOBAL|WEAK|UNIQUE) +\w+ +\d+ (\w+)@@?(GLIBC_[\d.]+)$",
                    re.M)


def number(version):
    return tuple(map(int, version.removeprefix("GLIBC_").split(".")))


def symbols_of(path, floor):
    """{name: (version, kind, size)}: the newest version up to the floor. And the names of those that were moved."""
    listing = subprocess.run(["readelf", "--wide", "--dyn-syms", path], stdout=subprocess.PIPE, text=True, check=True)
    found, moved = {}, set()
    for size, kind, name, version in SYMBOL.findall(listing.stdout):
        if number(version) <= floor and (name not in found or number(version) > number(found[name][0])):
            found[name] = (version, kind, int(size, 0))
        if MOVED[0] <= number(version) <= MOVED[1] and name != "__libc_start_main":
            moved.add(name)
    return found, moved


def assembler(symbols):
    for name, (version, kind, size) in sorted(symbols.items()):
        section, of_type = {"OBJECT": (".data", "object"), "TLS": ('.section .tdata,"awT",@progbits', "tls_object")}.get(
            kind, (".text", "function"))
        yield section
        yield f".globl stub_{name}"
        yield f".type stub_{name}, @{of_type}"
        yield f"stub_{name}: .zero {1 if of_type == 'function' else max(size, 1)}"
        yield f".size stub_{name}, . - stub_{name}"
        yield f".symver stub_{name}, {name}@@{version}, remove"


def make(output, soname, symbols, compiler):
    """Writes the library OUTPUT/SONAME."""
    versions = sorted({version for version, _, _ in symbols.values()}, key=number)
    source, script = output / f"{soname}.s", output / f"{soname}.map"
    source.write_text("\n".join(assembler(symbols)) + '\n.section .note.GNU-stack,"",@progbits\n', encoding="utf-8")
    script.write_text("".join(f"{version} {{ }};\n" for version in versions), encoding="utf-8")
    subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", "-o", output / soname, source,
                    *([f"-Wl,--version-script={script}"] if versions else [])], check=True)


def path_of(compiler, library):
    return subprocess.run([compiler, f"-print-file-name={library}"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def main():
    floor, output = number(sys.argv[1]), Path(sys.argv[2])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "gcc"
    output.mkdir(parents=True, exist_ok=True)
    loader = LOADERS[subprocess.run([compiler, "-dumpmachine"], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.split("-")[0]]
    libc, moved = symbols_of(path_of(compiler, "libc.so.6"), floor)
    libraries = {soname: {} for soname in ORIGINS} | {"libc.so.6": {}}
    for name, symbol in libc.items():
        origin = next(soname for soname, names in ORIGINS.items() if names.match(name)) if name in moved else "libc.so.6"
        libraries[origin][name] = symbol
    for soname in ("libm.so.6", loader):
        libraries[soname], _ = symbols_of(path_of(compiler, soname), floor)
    for soname, symbols in libraries.items():
        make(output, soname, symbols, compiler)
        (output / f'{soname.split(".so")[0]}.so').write_text(f"INPUT({output / soname})\n", encoding="utf-8")
    # libc_nonshared.a has the few functions that are part of each program, as atexit().
    rest = path_of(compiler, "libc_nonshared.a")
    (output / "libc.so").write_text(
        f"GROUP({output}/libc.so.6 {rest} AS_NEEDED({output}/{loader}))\n", encoding="utf-8")


if __name__ == "__main__":
    main()
