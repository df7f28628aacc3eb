"""What a name of a test means, for `./dev test NAME`: what to build, and what to run. Reads sources, so that nothing
has to be built or configured before.

find_test.py NAME prints lines: the targets, how to run the test (unit, pytest or ctest), and one line for each word
of that command. If no test has the name it prints near names on stderr and ends with status 1.
"""
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("integration", "lint")
# Folders of CMake with everything that prof is and that integration tests run, without unit tests and fuzz targets.
PROF = ["common/all", "injection/all", "collector/all", "exporters/all", "cli/all"]
PROGRAMS = ["tests/programs/all", "tests/fake_cupti/all", "tests/fake_libraries/all"]


def pytest_files():
    """{name in ctest: path}"""
    return {f"{folder}.{path.stem.removeprefix('test_')}": path
            for folder in FOLDERS for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))}


def pytest_cases():
    """{name of a case: paths of the files that have it}"""
    found = {}
    for path in pytest_files().values():
        for name in re.findall(r"^(?:async )?def (test_\w+)\(", path.read_text(), re.M):
            found.setdefault(name, []).append(path)
    return found


def targets_of_pytest(path):
    text = path.read_text()
    if path.parent.name == "lint":
        return PROF if "mark.built" in text else []
    return [*PROF, *PROGRAMS, *(["tests/bench/all"] if 'BUILD / "bin" / "bench"' in text else [])]


def unit_targets():
    """{path of a source: target}. Only the thread sanitizer's build has unit_ring_order."""
    text = (ROOT / "tests/unit/CMakeLists.txt").read_text()
    owners = {}
    for target, body in (*re.findall(r"\bprof_unit_test\((\w+)([^)]*)\)", text),
                         *re.findall(r"\btarget_sources\(unit_(\w+)([^)]*)\)", text)):
        for source in re.findall(r"[\w/]+\.cpp", body):
            owners.setdefault(ROOT / "tests/unit" / source.removeprefix("/"), f"unit_{target}")
    return {path: target for path, target in owners.items() if target != "unit_ring_order"}


def unit_cases():
    """{Suite.Case: (target, filter of GoogleTest)}"""
    found = {}
    for path, target in unit_targets().items():
        if path.exists():  # some are of another processor
            for kind, suite, case in re.findall(r"^TEST(|_F|_P)\(\s*(\w+),\s*(\w+)\)", path.read_text(), re.M):
                name = f"{suite}.{case}"
                found[name] = target, f"*/{name}/*" if kind == "_P" else name
    return found


def fuzz_tests():
    """{name in ctest: targets}"""
    names = re.findall(r"^prof_fuzz\((\w+)", (ROOT / "tests/fuzz/CMakeLists.txt").read_text(), re.M)
    return {**{f"fuzz.{name}": [f"fuzz_{name}"] for name in names}, "fuzz.reports": PROF}


def ctest_names():
    """{name in ctest: targets}"""
    names = {name: [target] for name, (target, _) in unit_cases().items()}
    for name, path in pytest_files().items():
        names[name] = targets_of_pytest(path)
        if "\n@pytest.mark.alone" in path.read_text():
            names[f"{name}.alone"] = names[name]
    return {**names, **fuzz_tests()}


def find_pytest(name):
    """Words for pytest, and the files: a file, a case, or both with :: between them."""
    file, _, case = name.rpartition("::") if "::" in name else (name, "", "")
    paths = [path for path in pytest_files().values()
             if file in (path.name, path.stem, path.relative_to(ROOT).as_posix(), str(path))]
    cases = pytest_cases()
    if paths and case:
        paths = [path for path in paths if path in cases.get(case.partition("[")[0], ())]
        return [f"{path}::{case}" for path in paths], paths
    if not paths and not case:
        paths = cases.get(name.partition("[")[0], [])
        return [f"{path}::{name}" for path in paths], paths
    return [str(path) for path in paths], paths


def find(name):
    """(targets, how to run it, words), or None."""
    words, paths = find_pytest(name)
    if words:
        return [target for path in paths for target in targets_of_pytest(path)], "pytest", words
    units = unit_cases()
    if name in units:
        target, words = units[name]
        return [target], "unit", [target, f"--gtest_filter={words}"]
    try:
        matching = [targets for each, targets in ctest_names().items() if re.search(name, each)]
    except re.error:
        matching = []
    return ([target for targets in matching for target in targets], "ctest", ["-R", name]) if matching else None


def near(name):
    """Names that look like it, best first."""
    cases = pytest_cases()
    names = [*cases, *(path.name for path in pytest_files().values()), *ctest_names()]
    names += [f"{path.name}::{case}" for case, paths in cases.items() for path in paths if "::" in name]
    lower = {each.lower(): each for each in names}
    parts = [each for key, each in lower.items() if name.lower() in key]
    close = [lower[key] for key in difflib.get_close_matches(name.lower(), lower, n=8, cutoff=0.6)]
    return list(dict.fromkeys([*parts[:4], *close]))[:8]


def main(name):
    found = find(name)
    if not found:
        names = near(name)
        sys.exit(f"no test is called {name}" + (". Near names:\n  " + "\n  ".join(names) if names else
                                                ". build/release has all names after a build: "
                                                "ctest --test-dir build/release -N"))
    targets, kind, words = found
    print(" ".join(dict.fromkeys(targets)), kind, *words, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
