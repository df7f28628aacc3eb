"""./dev release finds what a release must not have, and its bill of materials has every library."""
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import pytest

ROOT = Path(os.environ["PROF_SOURCE"])
sys.path.insert(0, str(ROOT / "packaging"))
import licences  # noqa: E402
import release  # noqa: E402
import sbom  # noqa: E402

DEPENDENCIES = (ROOT / "cmake" / "Dependencies.cmake").read_text()
CHANGELOG = "# Changelog\n\n## 1.2.3 – 2026-01-31\n\n- New.\n\n## 1.2.2 – 2025-12-01\n\n- Old.\n"
SECTION = "the section of 1.2.3 in docs/CHANGELOG.md"
VERSION = "1.2.3"


def git(root, *words):
    return subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def commit(root, **files):
    for name, text in files.items():
        path = root / {"cmake": "CMakeLists.txt", "changelog": "docs/CHANGELOG.md"}.get(name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a commit")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """A repository that can be released, on a machine without dpkg."""
    monkeypatch.setattr(sbom, "output_of", lambda *command: "")
    for name, value in {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "somebody@localhost")
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, cmake=f"project(prof VERSION {VERSION} LANGUAGES CXX)\n", changelog=CHANGELOG,
           **{".gitignore": "/build/\n/dist/\n"})
    return release.Plan(root)


# Steps that change nothing

def test_a_clean_repository_passes(plan):
    assert release.check_tree(plan).startswith("clean, on main, commit ")
    assert release.check_version(plan) == VERSION == plan.version
    assert release.check_changelog(plan) == "docs/CHANGELOG.md has 1.2.3 of 2026-01-31"
    assert release.check_tag(plan) == "v1.2.3 is free, there is no other"


def fault_of(step, plan):
    with pytest.raises(release.Fault) as caught:
        step(plan)
    assert caught.value.remedy
    return str(caught.value)


def test_a_changed_file_is_a_fault(plan):
    (plan.root / "CMakeLists.txt").write_text("other")
    assert fault_of(release.check_tree, plan) == "files differ from the commit: CMakeLists.txt"


def test_a_file_that_git_does_not_know_is_a_fault(plan):
    for name in "abcde":
        (plan.root / name).write_text("new")
    assert fault_of(release.check_tree, plan) == "files differ from the commit: a, b, c and 2 more"


def test_another_branch_and_no_branch_are_faults(plan):
    git(plan.root, "switch", "--quiet", "--create", "topic")
    assert fault_of(release.check_tree, plan) == "topic is checked out, not main"
    git(plan.root, "switch", "--quiet", "--detach")
    assert fault_of(release.check_tree, plan) == "no branch is checked out, not main"


def test_the_version_is_that_of_cmake(plan):
    plan.version = "1.2.4"
    assert fault_of(release.check_version, plan) == "CMakeLists.txt has 1.2.3, not 1.2.4"


@pytest.mark.parametrize("version", ["1.2", "1.2.3.4", "01.2.3", "1.2.3-rc1", "v1.2.3", "1.2.x"])
def test_a_version_is_semantic(plan, version):
    commit(plan.root, cmake=f"project(prof VERSION {version} LANGUAGES CXX)\n")
    assert fault_of(release.check_version, plan) == f"{version} is not a semantic version"


@pytest.mark.parametrize("text,fault", [
    (CHANGELOG.replace("2026-01-31", "unreleased"), f'{SECTION} has no date: "– unreleased"'),
    (CHANGELOG.replace("2026-01-31", "2026-02-31"), f'{SECTION} has no date: "– 2026-02-31"'),
    (CHANGELOG.replace(" – 2026-01-31", ""), f'{SECTION} has no date: ""'),
    (CHANGELOG.replace("- New.", ""), f"{SECTION} is empty"),
    (CHANGELOG.replace("## 1.2.3", "## 1.2.4"), "docs/CHANGELOG.md has no section of 1.2.3"),
    (CHANGELOG.replace("## 1.2.3", "## 1.3.0 – unreleased\n\n- Next.\n\n## 1.2.3"),
     "the first section of docs/CHANGELOG.md is that of 1.3.0"),
])
def test_the_changelog_has_a_dated_section(plan, text, fault):
    plan.version = VERSION
    commit(plan.root, changelog=text)
    assert fault_of(release.check_changelog, plan) == fault


def test_a_version_is_released_once_and_is_the_newest(plan):
    plan.version = VERSION
    git(plan.root, "tag", "v1.2.2")
    git(plan.root, "tag", "vague")
    assert release.check_tag(plan) == "v1.2.3 is free, the newest is v1.2.2"
    git(plan.root, "tag", "v1.10.0")
    assert fault_of(release.check_tag, plan) == "1.10.0 is released, which is newer than 1.2.3"
    git(plan.root, "tag", "v1.2.3")
    assert fault_of(release.check_tag, plan) == "the tag v1.2.3 exists"


# Tests and packages

def test_failed_tests_end_it(plan, capsys):
    commit(plan.root, **{".ci/run": "#!/bin/sh\nexit 1\n"})
    (plan.root / ".ci/run").chmod(0o755)
    git(plan.root, "commit", "--quiet", "--all", "--message", "a program")
    assert release.main([], plan.root) == 1
    last = capsys.readouterr().out.splitlines()[-2:]
    assert last == ["failed  tests: .ci/run failed", "        Correct what it names, commit that, and begin again."]
    assert not (plan.root / "dist").exists()


def add(archive, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def tar(name, content):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        add(archive, name, content)
    return stream.getvalue()


def ar(**members):
    heads = ((f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode(), content)
             for name, content in members.items())
    return b"!<arch>\n" + b"".join(head + content + b"\n" * (len(content) % 2) for head, content in heads)


def make_packages(root, processor, built=None):
    """What ./dev package leaves: packages whose prof has the commit, and the cache of the build."""
    built = built or git(root, "rev-parse", "HEAD")
    dist, library = root / "dist", f"\0{built}\0".encode()
    dist.mkdir(exist_ok=True)
    name = f"prof-{VERSION}-linux-{processor}"
    (dist / f"{name}.tar.gz").write_bytes(tar(f"{name}/lib/prof/libprof_report.so", library))
    data = {"debian-binary": b"2.0\n", "control.tar.gz": b"odd", "data.tar.gz": tar("./usr/lib/prof/libprof_report.so", library)}
    (dist / f"prof_{VERSION}_{release.PROCESSORS[processor]}.deb").write_bytes(ar(**data))
    wheel = dist / f"prof_profiler-{VERSION}-py3-none-manylinux_2_28_{processor}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"prof_profiler-{VERSION}.data/data/libexec/prof/libprof_report.so", library)
    build = root / sbom.BUILDS[processor][0]
    build.mkdir(parents=True, exist_ok=True)
    paths = {library.variable: "/nowhere" for library in sbom.LIBRARIES if library.variable}
    cache = "".join(f"{name}:FILEPATH={path}\n" for name, path in paths.items())
    (build / "CMakeCache.txt").write_text(cache + f"PROF_COMMIT:STRING={built}\n")


def both_packages(plan):
    plan.version = VERSION
    for processor in release.PROCESSORS:
        make_packages(plan.root, processor)


@pytest.fixture
def commands(monkeypatch):
    """The commands that a release runs: ./dev package makes packages, the others do nothing."""
    run = []

    def pretend(plan, *command):
        run.append(" ".join(command))
        if command[:2] == ("./dev", "package"):
            make_packages(plan.root, command[2])
        return True
    monkeypatch.setattr(release.Plan, "run", pretend)
    return run


def test_a_whole_release(plan, commands, capsys):
    assert release.main([VERSION, "--tag"], plan.root) == 0
    assert commands == [".ci/run", "./dev package x86_64", "./dev package aarch64"]
    out = capsys.readouterr().out
    assert out.count("ok      ") == len(release.STEPS) and "git push origin main v1.2.3" in out
    assert git(plan.root, "cat-file", "-t", "v1.2.3") == "tag"
    assert git(plan.root, "rev-parse", "v1.2.3^{commit}") == git(plan.root, "rev-parse", "HEAD")
    assert "SIGNATURE" not in git(plan.root, "cat-file", "tag", "v1.2.3")
    names = [line.split("  ")[1] for line in (plan.dist / "SHA256SUMS").read_text().splitlines()]
    assert names == sorted(names) and len(names) == 7
    assert {path.name for path in plan.dist.iterdir()} == {*names, "SHA256SUMS"}
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=plan.dist, check=True)
    assert release.main([VERSION, "--tests-passed", "--packages-made"], plan.root) == 1
    assert "the tag v1.2.3 exists" in capsys.readouterr().out


def test_files_of_other_versions_stay_out_of_the_sums(plan, commands):
    plan.dist.mkdir()
    (plan.dist / "prof-1.2.2-linux-x86_64.tar.gz").write_text("old")
    assert release.main(["--tests-passed"], plan.root) == 0
    assert "1.2.2" not in (plan.dist / "SHA256SUMS").read_text()
    assert git(plan.root, "tag") == "", "a tag is made with --tag only"


def test_the_same_release_has_the_same_sums(plan, commands):
    release.main(["--tests-passed"], plan.root)
    first = (plan.dist / "SHA256SUMS").read_bytes()
    (plan.dist / "SHA256SUMS").unlink()
    assert release.main(["--tests-passed", "--packages-made"], plan.root) == 0
    assert (plan.dist / "SHA256SUMS").read_bytes() == first


def test_a_dry_run_changes_nothing_and_shows_every_step(plan, commands, capsys):
    assert release.main(["--dry-run", "--tag"], plan.root) == 0
    both_packages(plan)
    before = {path: path.stat().st_mtime_ns for path in plan.root.rglob("*")}
    assert release.main(["--dry-run", "--tag", "--packages-made"], plan.root) == 0
    (plan.root / "new").write_text("")
    assert release.main(["--dry-run", "2.0.0"], plan.root) == 1
    (plan.root / "new").unlink()
    after = {path: path.stat().st_mtime_ns for path in plan.root.rglob("*")}
    assert {path for path in before if before[path] != after[path] and path.is_file()} <= {plan.root / ".git/index"}
    assert before.keys() == after.keys() and not commands and not git(plan.root, "tag")
    states = re.findall(r"^(ok|not|failed) ", capsys.readouterr().out, re.M)
    assert states == ["ok"] * 4 + ["not"] * 5 + ["ok"] * 4 + ["not", "ok"] + ["not"] * 3 + ["failed"] * 2


def test_packages_of_another_commit_are_a_fault(plan):
    both_packages(plan)
    assert release.make_packages(release.Plan(plan.root, VERSION, packages_made=True)).startswith("6 files of commit ")
    plan.packages_made = True
    head = git(plan.root, "rev-parse", "HEAD")
    for built in ("0" * 40, f"{head} with changes"):
        make_packages(plan.root, "aarch64", built)
        assert fault_of(release.make_packages, plan).endswith(f"is not of commit {head[:12]}")
    assert "build/package-aarch64 is not a build of commit " in fault_of(release.make_sbom, plan)


@pytest.mark.parametrize("pattern", ["*.tar.gz", "*.deb", "*.whl"])
def test_a_package_that_is_damaged_or_missing_is_a_fault(plan, pattern):
    both_packages(plan)
    plan.packages_made = True
    path = next(plan.dist.glob(pattern))
    path.write_bytes(b"!<arch>\nnonsense")
    assert "is damaged" in fault_of(release.make_packages, plan)
    path.unlink()
    assert fault_of(release.make_packages, plan).startswith("no file is named dist/prof")


def test_two_wheels_are_a_fault(plan):
    both_packages(plan)
    plan.packages_made = True
    (plan.dist / f"prof_profiler-{VERSION}-py3-none-manylinux_2_35_x86_64.whl").write_text("")
    assert fault_of(release.make_packages, plan).startswith("2 files are named dist/prof_profiler-1.2.3")


# The bill of materials

def test_every_library_that_cmake_finds_is_known():
    known = {name for library in sbom.LIBRARIES for name in library.finds}
    assert sbom.found_by_cmake(DEPENDENCIES) == known, "packaging/sbom.py: LIBRARIES"


def test_a_new_library_is_seen():
    new = """find_package(Snappy 1.1 REQUIRED)
        find_library(PROF_NEW_LIBRARY NAMES libnew.a REQUIRED)
        find_path(PROF_HEADERS_INCLUDE headers/only.hpp)"""
    loop = DEPENDENCIES.replace("foreach(name zstd)", "foreach(name zstd bz2)")
    assert loop != DEPENDENCIES
    assert sbom.found_by_cmake(loop + new) - sbom.found_by_cmake(DEPENDENCIES) == {
        "Snappy", "libnew.a", "headers/only.hpp", "libbz2.a"}


def test_variables_are_those_of_cmake():
    for library in sbom.LIBRARIES:
        name = library.variable.removesuffix("_DIR")
        assert name in DEPENDENCIES.replace("${name}", "zstd"), library


def test_the_copyright_file_of_the_deb_names_every_library():
    text = " ".join((ROOT / "packaging/deb/copyright").read_text().split())
    for library in sbom.LIBRARIES:
        assert library.licence == sbom.CUDA_LICENCE or library.name.partition(" (")[0] in text, library.name


def test_packages_have_the_licence_of_each_library(tmp_path):
    for library in sbom.LIBRARIES:
        if library.package:
            notice = tmp_path / "usr/share/doc" / library.package / "copyright"
            notice.parent.mkdir(parents=True, exist_ok=True)
            notice.write_text(f"notice of {library.package}\n")
    text = licences.document([(library, "1.2", "") for library in sbom.LIBRARIES], tmp_path)
    for library in sbom.LIBRARIES:
        assert (f"{library.name}, " in text) == (library.licence != sbom.CUDA_LICENCE), library.name
        if library.package and library.licence not in licences.NO_TEXT:
            assert f"notice of {library.package}" in text, library.name
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text and "GCC Runtime Library Exception" in text


def test_a_library_without_a_licence_is_an_error(tmp_path):
    with pytest.raises(OSError):
        licences.document([(sbom.LIBRARIES[0], "1.2", "")], tmp_path)


def test_the_document_is_spdx(plan, commands):
    assert release.main(["--tests-passed"], plan.root) == 0
    text = (plan.dist / "prof-1.2.3.spdx.json").read_text()
    document = json.loads(text)
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    assert document["SPDXID"] == "SPDXRef-DOCUMENT" and document["name"] == "prof-1.2.3"
    assert re.fullmatch(r"https://spdx\.org/spdxdocs/prof-1\.2\.3-[0-9a-f-]{36}", document["documentNamespace"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
    assert all(re.match("(Tool|Organization|Person): ", each) for each in document["creationInfo"]["creators"])
    identifiers = [each["SPDXID"] for each in document["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    own = {each["licenseId"] for each in document["hasExtractedLicensingInfos"]}
    for each in document["packages"]:
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each["SPDXID"])
        assert each["name"] and each["downloadLocation"] and each["filesAnalyzed"] is False
        assert each["copyrightText"] and each["licenseConcluded"]
        assert set(re.findall(r"LicenseRef-[\w-]+", each["licenseDeclared"])) <= own
    for each in document["relationships"]:
        assert {each["spdxElementId"], each["relatedSpdxElement"]} <= {"SPDXRef-DOCUMENT", *identifiers}
    files = {each["packageFileName"] for each in document["packages"] if "packageFileName" in each}
    assert len(files) == 6 and all((plan.dist / name).exists() for name in files)
    names = {each["name"] for each in document["packages"]}
    assert names == {"prof", *(library.name for library in sbom.LIBRARIES)}


def test_libraries_belong_to_the_processor_that_has_them():
    zlib, zstd = (next(each for each in sbom.LIBRARIES if name in each.finds) for name in ("libz.a", "libzstd.a"))
    used = {"x86_64": [(zlib, "1.2", "pkg:deb/debian/zlib1g-dev@1.2"), (zstd, "1.5", "")],
            "aarch64": [(zlib, "1.3", "")]}
    document = sbom.document(VERSION, datetime.fromtimestamp(0, timezone.utc), used, {})
    linked = {(each["spdxElementId"], each["relatedSpdxElement"]) for each in document["relationships"]
              if each["relationshipType"] == "STATIC_LINK"}
    x86_64, aarch64 = "SPDXRef-prof-1.2.3-x86-64", "SPDXRef-prof-1.2.3-aarch64"
    assert linked == {(x86_64, "SPDXRef-zlib-1.2"), (x86_64, "SPDXRef-Zstandard-1.5"), (aarch64, "SPDXRef-zlib-1.3")}
    references = [each["externalRefs"] for each in document["packages"] if "externalRefs" in each]
    assert references == [[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                            "referenceLocator": "pkg:deb/debian/zlib1g-dev@1.2"}]]


def test_versions_are_those_of_the_packages_that_own_the_files(tmp_path, monkeypatch):
    query = tmp_path / "dpkg-query"
    query.write_text("""#!/bin/sh
case "$1 $2 $3 $4 $5" in
  "--admindir=//var/lib/dpkg -S /usr/lib/libz.a"*) echo "zlib1g-dev:amd64: /usr/lib/libz.a" ;;
  "--admindir=//var/lib/dpkg -W -f "*" zlib1g-dev:amd64") echo "1:1.2+dfsg~1" ;;
  *) exit 1 ;;
esac
""")
    query.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sbom, "distribution_id", lambda: "debian")
    (tmp_path / "CMakeCache.txt").write_text("PROF_Z_LIBRARY:FILEPATH=/usr/lib/libz.a\n")
    (library, *found), _ = sbom.used_libraries(tmp_path, Path("/"))
    assert library.name == "zlib" and found == ["1:1.2+dfsg~1", "pkg:deb/debian/zlib1g-dev@1%3A1.2%2Bdfsg~1"]


def test_versions_come_from_a_root_whose_packages_dpkg_does_not_know(tmp_path):
    """mmdebstrap only unpacks them into the arm64 root."""
    root, build = tmp_path / "root", tmp_path / "build"
    documents = root / "usr/share/doc/liblzma-dev"
    documents.mkdir(parents=True)
    with gzip.open(documents / "changelog.Debian.gz", "wt") as lines:
        lines.write("xz-utils (5.8.1-1) unstable; urgency=medium\n\n  * New.\n")
    compiler = build / "CMakeFiles/3.25.1/CMakeCXXCompiler.cmake"
    compiler.parent.mkdir(parents=True)
    compiler.write_text('set(CMAKE_CXX_COMPILER_ID "GNU")\nset(CMAKE_CXX_COMPILER_VERSION "12.2.0")\n')
    (tmp_path / "cuda.h").write_text("#define CUDA_VERSION 13020\n")
    (build / "CMakeCache.txt").write_text(
        f"PROF_LZMA_LIBRARY:FILEPATH={root}/usr/lib/liblzma.a\nPROF_zstd_LIBRARY:FILEPATH=PROF_zstd_LIBRARY-NOTFOUND\n"
        f"PROF_IBERTY_LIBRARY:FILEPATH=/usr/local/lib/libiberty.a\nPROF_CUDA_INCLUDE:PATH={tmp_path}\n")
    used = {library.variable: (version, sbom.licence_of(library, version))
            for library, version, _ in sbom.used_libraries(build, root)}
    assert used == {"PROF_LZMA_LIBRARY": ("5.8.1-1", "0BSD"), "": ("12.2.0", "GPL-3.0-or-later WITH GCC-exception-3.1"),
                    "PROF_IBERTY_LIBRARY": ("", "LGPL-2.0-or-later AND GPL-2.0-or-later WITH GCC-exception-2.0"),
                    "PROF_CUDA_INCLUDE": ("13.2", sbom.CUDA_LICENCE)}


def test_help_has_examples():
    done = subprocess.run([ROOT / "dev", "release", "--help"], stdout=subprocess.PIPE, text=True, check=True)
    assert "examples:\n  ./dev release --dry-run" in done.stdout


def test_the_description_for_registries_is_of_this_version():
    """A registry of servers of the Model Context Protocol also looks for the name in the description of the wheel."""
    server = json.loads((ROOT / "packaging/server.json").read_text())
    version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().partition("project(")[2])[1]
    package, = server["packages"]
    assert server["version"] == package["version"] == version
    assert f"\nName: {package['identifier']}\n" in (ROOT / "packaging/wheel.py").read_text()
    assert f"mcp-name: {server['name']} " in (ROOT / "packaging/wheel.md").read_text()
    assert len(server["description"]) <= 100 and package["transport"] == {"type": "stdio"}
