#!/usr/bin/env python3
"""The checklist of a release, run as a script: ./dev release --help"""
import argparse
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parent.parent
BRANCH = "main"
LIBRARY = "/prof/libprof_report.so"  # lib/prof, in the wheel libexec/prof
PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
NUMBER = r"(0|[1-9]\d*)"
VERSION = re.compile(rf"{NUMBER}\.{NUMBER}\.{NUMBER}")
DESCRIPTION = """\
Checks and makes a release, step by step, and stops at the first step that fails: the working tree, the version, its
section in docs/CHANGELOG.md, the tag, the tests (.ci/run), the packages for both processors (./dev package), their
SBOM (dist/prof-VERSION.spdx.json) and checksums (dist/SHA256SUMS). It pushes and uploads nothing."""
EXAMPLES = """\
examples:
  ./dev release --dry-run                   every check that changes nothing; later steps are shown, too
  ./dev release 0.1.0                       tests, packages, SBOM and checksums of version 0.1.0
  ./dev release --tests-passed              the same, if .ci/run has passed for this commit
  ./dev release --tests-passed --packages-made --tag
                                            the last step: the tag, of packages that are in dist"""


class Fault(Exception):
    """Why a step fails, and what to do."""

    def __init__(self, what, remedy):
        super().__init__(what)
        self.remedy = remedy


class NotRun(Exception):
    """Why a step is left out, or what it would do without --dry-run."""


@dataclass
class Plan:
    root: Path
    version: str = ""  # given, or that of CMakeLists.txt
    dry_run: bool = False
    tests_passed: bool = False
    packages_made: bool = False
    tag: bool = False

    @property
    def dist(self):
        return self.root / "dist"

    def git(self, *words):
        """What git prints. A command that fails prints nothing."""
        done = subprocess.run(["git", *words], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def run(self, *command):
        """Whether a command succeeds. Its output goes to the terminal."""
        print(f"        {' '.join(command)}", flush=True)
        return subprocess.run(command, cwd=self.root, check=False).returncode == 0


def key(version):
    return tuple(map(int, version.split(".")))


def check_tree(plan):
    branch = plan.git("symbolic-ref", "--short", "HEAD") or "no branch"
    if branch != BRANCH:
        raise Fault(f"{branch} is checked out, not {BRANCH}", f"git switch {BRANCH}")
    changes = plan.git("status", "--porcelain").splitlines()
    if changes:
        more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
        raise Fault(f"files differ from the commit: {', '.join(each[2:].strip() for each in changes[:3])}{more}",
                    "Commit them, or remove them (git status).")
    return f"clean, on {BRANCH}, commit {plan.git('rev-parse', '--short', 'HEAD')}"


def check_version(plan):
    """Takes the version of CMakeLists.txt if none was given."""
    found = re.search(r"^project\(prof VERSION (\S+)", (plan.root / "CMakeLists.txt").read_text(), re.M)
    built = found.group(1) if found else "no version"
    version = plan.version or built
    if not VERSION.fullmatch(version):
        raise Fault(f"{version} is not a semantic version", "Write MAJOR.MINOR.PATCH, as in 0.1.0 (docs/stability.md).")
    if version != built:
        raise Fault(f"CMakeLists.txt has {built}, not {version}",
                    f"Change project(prof VERSION ...) in CMakeLists.txt to {version}, and commit that.")
    plan.version = version
    return version


def check_changelog(plan):
    text = (plan.root / "docs" / "CHANGELOG.md").read_text()
    sections = re.findall(r"^## (\S+)(.*)\n((?:(?!## ).*\n?)*)", text, re.M)
    heading = f"## {plan.version} – {date.today().isoformat()}"
    if plan.version not in [version for version, _, _ in sections]:
        raise Fault(f"docs/CHANGELOG.md has no section of {plan.version}", f"Add one: {heading}")
    version, rest, body = sections[0]
    if version != plan.version:
        raise Fault(f"the first section of docs/CHANGELOG.md is that of {version}",
                    f"Move the section of {plan.version} to the top, or release {version}.")
    day = rest.removeprefix(" – ")
    try:
        date.fromisoformat(day if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else "")
    except ValueError:
        raise Fault(f"the section of {version} in docs/CHANGELOG.md has no date: \"{rest.strip()}\"",
                    f"Write the day of the release, and commit that: {heading}") from None
    if not body.strip():
        raise Fault(f"the section of {version} in docs/CHANGELOG.md is empty", "Say what users will notice.")
    return f"docs/CHANGELOG.md has {version} of {day}"


def check_tag(plan):
    name = f"v{plan.version}"
    tags = plan.git("tag", "--list").splitlines()
    if name in tags:
        raise Fault(f"the tag {name} exists",
                    "A version is released once: raise it in CMakeLists.txt and docs/CHANGELOG.md.")
    released = [tag[1:] for tag in tags if tag[:1] == "v" and VERSION.fullmatch(tag[1:])]
    newest = max(released, key=key, default="")
    if newest and key(newest) > key(plan.version):
        raise Fault(f"{newest} is released, which is newer than {plan.version}", "Raise the version in CMakeLists.txt.")
    return f"{name} is free" + (f", the newest is v{newest}" if newest else ", there is no other")


def run_tests(plan):
    if plan.tests_passed:
        return "passed, as --tests-passed says"
    if plan.dry_run:
        raise NotRun("would run .ci/run")
    if not plan.run(".ci/run"):
        raise Fault(".ci/run failed", "Correct what it names, commit that, and begin again.")
    return "passed"


def package_patterns(version, processor):
    return [f"prof-{version}-linux-{processor}.tar.gz", f"prof_{version}_{PROCESSORS[processor]}.deb",
            f"prof_profiler-{version}-py3-none-manylinux_*_{processor}.whl"]


def packages(plan, processor):
    """The packages of this version in dist. It is a fault if one is missing or there twice."""
    found = []
    for pattern in package_patterns(plan.version, processor):
        paths = list(plan.dist.glob(pattern))
        if len(paths) != 1:
            many = f"{len(paths)} files are" if paths else "no file is"
            raise Fault(f"{many} named dist/{pattern}",
                        f"Remove old files from dist, and run: ./dev package {processor}")
        found += paths
    return sorted(found)


def all_packages(plan):
    return [path for processor in PROCESSORS for path in packages(plan, processor)]


def deb_data(path):
    """The tar archive with the files of a deb, which is an archive of ar."""
    content, position = path.read_bytes(), 8
    while position + 60 <= len(content):
        name, size = content[position:position + 16].decode().rstrip(" /"), int(content[position + 48:position + 58])
        if name.startswith("data.tar"):
            return io.BytesIO(content[position + 60:position + 60 + size])
        position += 60 + size + size % 2
    raise ValueError("no data.tar")


def library_in(path):
    """The content of the library that bin/prof calls, in a package."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return archive.read(next(name for name in archive.namelist() if name.endswith(LIBRARY)))
    source = deb_data(path) if path.suffix == ".deb" else io.BytesIO(path.read_bytes())
    with tarfile.open(fileobj=source) as archive:
        member = next(each for each in archive if each.name.endswith(LIBRARY))
        return archive.extractfile(member).read()


def check_commit(path, commit):
    """prof has the commit that it was built from, for prof --version --verbose."""
    try:
        library = library_in(path)
    except (OSError, EOFError, ValueError, StopIteration, tarfile.TarError, zipfile.BadZipFile) as error:
        raise Fault(f"dist/{path.name} is damaged or has no prof ({type(error).__name__})",
                    "Remove it, and run ./dev package.") from None
    if f"{commit} with changes".encode() in library or commit.encode() not in library:
        raise Fault(f"dist/{path.name} is not of commit {commit[:12]}", "Make it again: leave out --packages-made.")


def make_packages(plan):
    if not plan.packages_made:
        if plan.dry_run:
            raise NotRun(f"would run ./dev package for {' and '.join(PROCESSORS)}")
        for processor in PROCESSORS:
            if not plan.run("./dev", "package", processor):
                raise Fault(f"./dev package {processor} failed", "Correct what it names, and begin again.")
    commit = plan.git("rev-parse", "HEAD")
    found = all_packages(plan)
    for path in found:
        check_commit(path, commit)
    return f"{len(found)} files of commit {commit[:12]} in dist"


def sbom_path(plan):
    return plan.dist / f"prof-{plan.version}.spdx.json"


def make_sbom(plan):
    name, commit, used = f"dist/{sbom_path(plan).name}", plan.git("rev-parse", "HEAD"), {}
    if plan.dry_run and not plan.packages_made:
        raise NotRun(f"would write {name}")
    for processor, (folder, root) in sbom.BUILDS.items():
        build = plan.root / folder
        if sbom.cache_of(build).get("PROF_COMMIT") != commit:
            raise Fault(f"the versions of libraries are not known: {folder} is not a build of commit {commit[:12]}",
                        f"Run here: ./dev package {processor}")
        used[processor] = sbom.used_libraries(build, plan.root / root)
    files = {processor: packages(plan, processor) for processor in PROCESSORS}
    moment = datetime.fromtimestamp(int(plan.git("log", "-1", "--format=%ct")), timezone.utc)
    document = sbom.document(plan.version, moment, used, files)
    unknown = sorted({library.name for libraries in used.values() for library, version, _ in libraries if not version})
    said = f"{name}, {len(document['packages'])} packages"
    if unknown:
        said += f", no version is known of {', '.join(unknown)}"
    if plan.dry_run:
        raise NotRun(f"would write {said}")
    sbom_path(plan).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return said


def checksums(paths):
    """Lines that sha256sum -c reads, sorted by name."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                   for path in sorted(paths, key=lambda path: path.name))


def write_checksums(plan):
    if plan.dry_run:
        raise NotRun("would write dist/SHA256SUMS")
    paths = [*all_packages(plan), sbom_path(plan)]
    (plan.dist / "SHA256SUMS").write_text(checksums(paths), encoding="utf-8")
    return f"dist/SHA256SUMS, {len(paths)} files"


def make_tag(plan):
    name = f"v{plan.version}"
    command = f"git tag --annotate --no-sign --message 'prof {plan.version}' {name}"
    if plan.dry_run or not plan.tag:
        raise NotRun(f"would run {command}" if plan.tag else "without --tag")
    check_tree(plan)  # the tests and the builds took their time
    done = subprocess.run(["git", "tag", "--annotate", "--no-sign", "--message", f"prof {plan.version}", name, "HEAD"],
                          cwd=plan.root, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Fault(f"git tag failed: {done.stderr.strip()}", f"Correct that, and run: {command}")
    return f"{name}, annotated, not signed"


STEPS = [("working tree", check_tree), ("version", check_version), ("changelog", check_changelog),
         ("free tag", check_tag), ("tests", run_tests), ("packages", make_packages), ("SBOM", make_sbom),
         ("checksums", write_checksums), ("tag", make_tag)]


def remaining(plan):
    """What this script leaves to a person."""
    tag = f"v{plan.version}"
    steps = ["What .ci/run does not test: ./dev lint, sanitize, aarch64, suites and suites packages attach,\n"
             "     and tests/gpu/run.py on a machine with a GPU (docs/CONTRIBUTING.md)."]
    steps += [] if plan.tag else ["The tag: ./dev release --tests-passed --packages-made --tag"]
    steps += [f"git push origin {BRANCH} {tag}",
              f"On the repository's host: a release of {tag} with the section of docs/CHANGELOG.md, the files that\n"
              "     dist/SHA256SUMS names, and SHA256SUMS itself.",
              "Both wheels to the package index.",
              "The next version in CMakeLists.txt, and its section in docs/CHANGELOG.md with the word unreleased."]
    return "\n".join(["To be done by hand:"] + [f"  {number}. {step}" for number, step in enumerate(steps, 1)])


def run_steps(plan, steps=STEPS):
    """Prints the state of each step, and returns whether none failed. Stops at the first that fails. With dry_run it
    goes on, but not without a version."""
    good = True
    for title, step in steps:
        try:
            print(f"ok      {title}: {step(plan)}", flush=True)
        except NotRun as reason:
            print(f"not run {title}: {reason}", flush=True)
        except Fault as fault:
            good = False
            print(f"failed  {title}: {fault}\n        {fault.remedy}", flush=True)
            if not plan.dry_run or step is check_version:
                break
    return good


def main(words=None, root=ROOT):
    parser = argparse.ArgumentParser("./dev release", description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?", default="", help="has to be that of CMakeLists.txt. Default: that one")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, and show the state of every step")
    parser.add_argument("--tests-passed", action="store_true", help="do not run .ci/run")
    parser.add_argument("--packages-made", action="store_true", help="take the packages that are in dist")
    parser.add_argument("--tag", action="store_true", help="make the annotated tag vVERSION. It is not signed")
    plan = Plan(Path(root), **vars(parser.parse_args(words)))
    good = run_steps(plan)
    if good:
        print(remaining(plan))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
