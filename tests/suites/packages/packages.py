#!/usr/bin/env python3
"""Installs the tarball, the wheel and the deb of dist in fresh roots of distributions, uses prof, and removes it.

Usage: packages.py [--processor aarch64] [--roots bionic,sid] [--ways tarball,wheel,deb]

The roots are made with debootstrap and kept in build/suites/roots. Each way of installing gets a separate root: a
layer over the kept one, in separate namespaces, without a network. There prof records a program with known answers, a
Python and a shell, as root and as another user, the tarball from a read-only place with a blank in its path. After the
removal the same files are there as before. The wheel has 6.5 MB at most, and lintian finds no error in the deb. Prints a
line for each case, and exits with 1 if one fails. Runs as root. Roots whose archive cannot be reached are skipped.

With --processor aarch64 the roots are of arm64, and what is in them runs under qemu-user, which is registered with the
kernel for as long as a case runs. `./dev package aarch64` has made the packages and qemu.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE, SOURCE = Path(__file__).resolve().parent, Path(__file__).resolve().parents[3]
ROOTS, DIST = SOURCE / "build/suites/roots", SOURCE / "dist"
DEBIAN, UBUNTU = "http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu"
PORTS = "http://ports.ubuntu.com/ubuntu-ports"  # Ubuntu for arm64
# The name of the release, where it is, the script of debootstrap for it, and its glibc.
RELEASES = {
    "bionic": (UBUNTU, "bionic", "2.27"),  # one older than what prof promises
    "focal": (UBUNTU, "focal", "2.31"),
    "bullseye": (DEBIAN, "bullseye", "2.31"),
    "trixie": (DEBIAN, "trixie", "2.41"),
    "resolute": (UBUNTU, "jammy", "2.43"),
    "sid": (DEBIAN, "sid", "2.43 or later"),
}
AARCH64_RELEASES = {
    "focal": (PORTS, "focal", "2.31"),
    "bullseye": (DEBIAN, "bullseye", "2.31"),
    "trixie": (DEBIAN, "trixie", "2.41"),
}
COMPILERS = {"x86_64": "gcc", "aarch64": "aarch64-linux-gnu-gcc"}
DEBIANS_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
WAYS = ("tarball", "wheel", "deb")
NEEDS = "ca-certificates,python3,python3-venv,python3-pip,man-db"
KEYS = {DEBIAN: Path("/usr/share/keyrings/debian-archive-keyring.gpg"),
        UBUNTU: Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg"),
        PORTS: Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")}
# $1: the kept root, $2: an empty folder, $3: what the root gets as /dist, $4: the way
ENTER = """set -e
mount -t tmpfs -o mode=755 tmpfs "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay overlay -o lowerdir="$1",upperdir="$2/upper",workdir="$2/work" "$2/root"
mkdir "$2/root/dist"
mount --bind "$3" "$2/root/dist"
mount -t proc proc "$2/root/proc"
mount --rbind /dev "$2/root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$2/root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$2/root/tmp"
chroot "$2/root" sh /dist/ways.sh "$4"
"""


REGISTER = SOURCE / "tests/aarch64/register"


def emulated(processor, command):
    """`command`, with programs for `processor` running in it."""
    if processor == "x86_64":
        return command
    return ["unshare", "--mount", "sh", "-c", '"$0" "$1"; shift; exec "$@"', REGISTER, SOURCE / "build/aarch64-qemu", *command]


def make_root(name, release, processor):
    """Returns whether the root is there."""
    mirror, script, _ = release
    name = root_name(name, processor)
    root, made = ROOTS / name, ROOTS / f"{name}.made"
    if made.exists():
        return True
    ROOTS.mkdir(parents=True, exist_ok=True)
    subprocess.run(["rm", "-rf", root], check=True)
    # Debian has no package with Ubuntu's keys.
    keys = [f"--keyring={KEYS[mirror]}"] if KEYS[mirror].exists() else ["--no-check-gpg"]
    done = subprocess.run(emulated(processor, ["debootstrap", f"--arch={DEBIANS_NAMES[processor]}", "--variant=minbase",
                           f"--include={NEEDS}", *keys,
                           f"--components={'main' if mirror == DEBIAN else 'main,universe'}", name.split("-")[0], root, mirror,
                           f"/usr/share/debootstrap/scripts/{script}"]), stdout=(ROOTS / f"{name}.log").open("w"),
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode == 0:
        made.touch()
    return done.returncode == 0


def root_name(name, processor):
    return name if processor == "x86_64" else f"{name}-{processor}"


def packages(processor):
    """tarball, wheel, deb"""
    patterns = (f"prof-*-{processor}.tar.gz", f"prof_profiler-*_{processor}.whl", f"prof_*_{DEBIANS_NAMES[processor]}.deb")
    return [path for pattern in patterns for path in DIST.glob(pattern)]


def make_dist(folder, processor):
    """What the roots see as /dist."""
    for path in (*packages(processor), HERE / "smoke.py", HERE / "ways.sh"):
        (folder / path.name).write_bytes(path.read_bytes())
    stubs = folder / "stubs"
    compiler = COMPILERS[processor]
    subprocess.run([sys.executable, SOURCE / "cmake/glibc/stubs.py", "2.27", stubs, compiler], check=True)
    header = next((SOURCE / "build/test-venv").glob("lib/python3*/site-packages/nvidia/*/include/nvtx3/nvToolsExt.h"))
    # The start files of this machine's compiler are for its own glibc.
    aligned = "__attribute__((force_align_arg_pointer)) " if processor == "x86_64" else ""
    (folder / "start.c").write_text(f"int main(void); {aligned}void _start(void) "
                                    "{ extern void exit(int); exit(main()); }\n", encoding="ascii")
    subprocess.run([compiler, "-O1", "-nostartfiles", "-I", header.parents[1], f"-L{stubs}", "-o", folder / "ranges",
                    folder / "start.c", HERE / "ranges.c", "-lpthread", "-ldl"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "pip==24.0"], check=True)


def try_way(name, way, dist, processor):
    if name == "bionic" and way != "tarball":
        return "skipped: its glibc and its Python 3.6 are older than those that packages name as needed"
    with tempfile.TemporaryDirectory() as folder:
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "sh", "-c", ENTER, "enter",
                 ROOTS / root_name(name, processor), folder, dist, way]
        done = subprocess.run(emulated(processor, enter), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=600, check=False)
    return "ok" if done.returncode == 0 else f"FAILED\n{done.stdout}"


def check_size(wheel):
    return "ok" if wheel.stat().st_size <= 6_500_000 else f"FAILED\n{wheel.name} has {wheel.stat().st_size} bytes"


def read_deb(deb):
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", deb], stdout=subprocess.PIPE, text=True, check=False)
    return "ok" if done.returncode == 0 else f"FAILED\n{done.stdout}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processor", choices=list(COMPILERS), default="x86_64")
    parser.add_argument("--roots")
    parser.add_argument("--ways", default=",".join(WAYS))
    words = parser.parse_args()
    processor = words.processor
    releases = RELEASES if processor == "x86_64" else AARCH64_RELEASES
    made = packages(processor)
    if len(made) != len(WAYS):
        sys.exit(f"dist does not have a tarball, a wheel and a deb for {processor}: ./dev package {processor} makes them")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        dist = Path(folder)
        dist.chmod(0o755)
        make_dist(dist, processor)
        for name in words.roots.split(",") if words.roots else releases:
            if not make_root(name, releases[name], processor):
                print(f"{name}: skipped: no root (build/suites/roots/{root_name(name, processor)}.log)")
                continue
            for way in words.ways.split(","):
                outcomes.append(try_way(name, way, dist, processor))
                print(f"{name} (glibc {releases[name][2]}), {way}: {outcomes[-1]}", flush=True)
    outcomes.append(check_size(made[1]))
    print(f"wheel of 6.5 MB at most: {outcomes[-1]}")
    outcomes.append(read_deb(made[2]))
    print(f"lintian: {outcomes[-1]}")
    sys.exit(1 if any(outcome.startswith("FAILED") for outcome in outcomes) else 0)


if __name__ == "__main__":
    main()
