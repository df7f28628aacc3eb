"""Fetches and builds the sources of suites."""
import hashlib
import os
import subprocess
import urllib.parse
import urllib.request

DEBIAN = "http://deb.debian.org/debian/pool/main"


def unpack(path, sha256, sources):
    """Unpacks a source archive of Debian's pool in the folder `sources`."""
    sources.mkdir(parents=True, exist_ok=True)
    url = f"{DEBIAN}/{urllib.parse.quote(path)}"
    archive = urllib.request.urlopen(url, timeout=60).read()
    if hashlib.sha256(archive).hexdigest() != sha256:
        raise SystemExit(f"not the expected file: {url}")
    kind = "-xJf" if path.endswith(".xz") else "-xzf"
    subprocess.run(["tar", kind, "-"], input=archive, cwd=sources, check=True)


def build(name, folder, commands, environment=None):
    """Runs `commands` in `folder`. Their output is in NAME.log beside it."""
    print(f"building {name} in {folder}", flush=True)
    with open(folder.parent / f"{name}.log", "wb") as log:
        for command in commands:
            subprocess.run(command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                           stdout=log, stderr=log, check=True)
