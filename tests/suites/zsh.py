"""zsh's `make check`, one part for each script: a shell's forks, pipes, jobs, signals and pseudo-terminals."""
import re

from sources import build, unpack
from suite import Part

VERSION = "5.9"
ARCHIVE = f"z/zsh/zsh_{VERSION}.orig.tar.xz"
SHA256 = "9b8d1ecedd5b5e81fbf1918e876752a7dd948e05c1a0dba10ab863842d45acd5"
EXPLAINED = {}


def built(sources):
    folder = sources / f"zsh-{VERSION}"
    if not (folder / "Test" / "Modules").exists():
        unpack(ARCHIVE, SHA256, sources)
        build("zsh", folder, [["./configure", "-q", "--with-tcsetpgrp", "--disable-gdbm"], ["make", "-j2"],
                              ["make", "install.modules", f"MODDIR={folder}/Test/Modules", "DESTDIR="]])
    return folder


def outcomes(log, _):
    """The script says which case it runs, and how that ended. Cases may have equal names."""
    result, name = {}, None
    for line in log.splitlines():
        if line.startswith("Running test: "):
            name = line.removeprefix("Running test: ")
            name = next(unused for unused in [name, *(f"{name} #{n}" for n in range(2, 1000))]
                        if unused not in result)
            result[name] = "no result"
        elif name and re.match(r"Test (successful|failed, as expected|case skipped|\S+ was expected to fail)", line):
            result[name] = line.split(": ")[0]
        elif name and re.match(r"Test \S+ failed: ", line):
            result[name] = line.split(": ", 1)[1]
    return result


def parts(arguments):
    folder = built(arguments.sources)
    environment = {"ZTST_exe": str(folder / "Src" / "zsh"), "ZTST_verbose": "1", "ZTST_continue": "1",
                   "TMPPREFIX": "{scratch}/tmp/zsh"}
    return [Part(path.stem, [folder / "Src" / "zsh", "+Z", "-f", "./ztst.zsh", f"./{path.name}"], outcomes, 300,
                 directory=folder / "Test", environment=environment)
            for path in sorted(folder.glob("Test/*.ztst"))]
