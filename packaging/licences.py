"""Prints the licences and copyright notices of the libraries that are linked into prof's binaries, for its packages.

    licences.py PROCESSOR     of the build of ./dev package

The texts are those of the distribution's packages that the libraries come from. A library without a text is an error.
"""
import sys
from pathlib import Path

from sbom import BUILDS, CUDA_LICENCE, GCC_RUNTIME, used_libraries

HEAD = """Libraries in prof's binaries
============================

prof is under the Apache License, version 2.0 (the file LICENSE). Its binaries contain parts of the libraries below.
Their sources are those of the named packages of Debian or Ubuntu. prof's own sources and the build files are all that
is needed to link it with changed versions of them. The texts that the notices refer to stand at the end.
"""
# What needs no text in a binary: these licences say so themselves.
NO_TEXT = {
    "BSL-1.0": "The Boost Software License asks for no notice in machine-executable object code.",
    "GPL-3.0-or-later WITH GCC-exception-3.1": "The GCC Runtime Library Exception permits to convey the result of a "
                                               "compilation under terms of one's choice.",
}
# Texts in /usr/share/common-licenses that licences of libraries refer to.
COMMON = {"LGPL-3.0-or-later": ("LGPL-3", "GPL-3"), "LGPL-2.0-or-later": ("LGPL-2", "GPL-2"), "Apache-2.0": ("Apache-2.0",)}


def section(title, text):
    return f"\n\n{title}\n{'-' * len(title)}\n\n{text.strip()}\n"


def notice_of(library, root):
    """The text of a library's package; raises OSError if there is none."""
    if library.licence in NO_TEXT:
        return NO_TEXT[library.licence]
    return (root / "usr/share/doc" / library.package / "copyright").read_text(encoding="utf-8", errors="replace")


def document(used, root):
    """`used`: the libraries with their versions, as used_libraries() has them."""
    linked = [(library, version) for library, version, _ in used if library.licence != CUDA_LICENCE]
    text = HEAD
    for library, version in linked:
        package = f"package {library.package} {version}" if library.name != GCC_RUNTIME else f"GCC {version}"
        text += section(f"{library.name}, {package.strip()}", notice_of(library, root))
    names = {name for library, _ in linked for licence, texts in COMMON.items() if licence in library.licence for name in texts}
    for name in sorted(names):
        text += section(name, (Path("/usr/share/common-licenses") / name).read_text(encoding="utf-8"))
    return text


if __name__ == "__main__":
    build, tree = BUILDS[sys.argv[1]]
    libraries = used_libraries(Path(build), Path(tree))
    if not libraries:
        sys.exit(f"licences.py: {build} has no build")
    print(document(libraries, Path(tree)), end="")
