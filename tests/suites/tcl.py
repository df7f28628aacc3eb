"""Tcl's tests with the installed tclsh: child processes, pipelines, sockets, its event loop and its notifier's
thread. Tests that need Tcl's own test program are skipped."""
import re

from sources import unpack
from suite import Part

VERSION = "8.6.13"
ARCHIVE = f"t/tcl8.6/tcl8.6_{VERSION}+dfsg.orig.tar.gz"
SHA256 = "83bce7277e3825df0179567e0d8a431ebb1a126df53ea4a94af89dd4dd0f26d5"
EXPLAINED = {
    f"env-{number}": "prints the whole environment of a child that gets a new one, into which --env-policy=repair puts "
                     "prof's variables back; the same with --option=--env-policy=respect"
    for number in ("2.1", "2.2", "2.3", "2.4", "3.1", "4.1", "4.3", "4.4", "4.5")}


def outcomes(log, _):
    result = {}
    for name in re.findall(r"^---- (\S+) start$", log, re.M):
        result[name] = "no result"
    for name, outcome in re.findall(r"^(?:\+\+\+\+|====) (\S+) (PASSED|SKIPPED.*|FAILED)$", log, re.M):
        result[name] = outcome
    return result


def parts(arguments):
    folder = arguments.sources / f"tcl{VERSION}" / "tests"
    if not folder.exists():
        unpack(ARCHIVE, SHA256, arguments.sources)
    # Each in its scratch folder, because some servers of the tests look for files in the current directory.
    return [Part(path.stem, ["tclsh8.6", path, "-verbose", "pass skip start error"], outcomes, 300)
            for path in sorted(folder.glob("*.test"))]
