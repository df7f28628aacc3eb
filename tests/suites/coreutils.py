"""GNU coreutils' `make check`: some 600 shell scripts, thousands of short processes."""
import hashlib
import os
import subprocess
import urllib.request

from suite import Part

VERSION = "9.1"
URL = f"http://deb.debian.org/debian/pool/main/c/coreutils/coreutils_{VERSION}.orig.tar.xz"
SHA256 = "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423"
EXPLAINED = {
    "misc/env-S": "prints the whole environment of a child of `env -i`, into which --env-policy=repair puts prof's "
                  "variables back; the same with --option=--env-policy=respect"}


def build(sources):
    """Fetches and builds once; returns the folder."""
    folder = sources / f"coreutils-{VERSION}"
    if (folder / "src" / "ls").exists():
        return folder
    sources.mkdir(parents=True, exist_ok=True)
    print(f"building coreutils in {folder}", flush=True)
    archive = urllib.request.urlopen(URL, timeout=60).read()
    if hashlib.sha256(archive).hexdigest() != SHA256:
        raise SystemExit(f"not the expected file: {URL}")
    subprocess.run(["tar", "-xJf", "-"], input=archive, cwd=sources, check=True)
    environment = {**os.environ, "FORCE_UNSAFE_CONFIGURE": "1"}
    with open(sources / "coreutils.log", "wb") as log:
        for command in (["./configure", "-q", "--disable-nls"], ["make", "-j2"]):
            subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log, check=True)
    return folder


def parts(arguments):
    folder = build(arguments.sources)

    def results():
        return folder.glob("tests/**/*.trs")

    def forget():
        for path in results():
            path.unlink()

    def outcomes(_, scratch):
        found = {}
        for path in results():
            name = str(path.relative_to(folder / "tests").with_suffix(""))
            found[name] = next(line.split()[-1] for line in path.read_text().splitlines()
                               if line.startswith(":global-test-result:"))
            log = path.with_suffix(".log")
            if log.exists():  # kept for the reader, because the next run overwrites it
                kept = scratch / "logs" / f"{name.replace('/', '_')}.log"
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(log.read_bytes()[-200_000:])
        return found

    return [Part("check", ["make", "-j2", "check", "SUBDIRS=.", "RUN_VERY_EXPENSIVE_TESTS=no"], outcomes, 3000,
                 directory=folder, prepare=forget)]
