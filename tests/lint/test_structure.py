"""The shape of the source tree: dependencies, sizes, and documents that say what is true."""
import os
import re
import subprocess
from pathlib import Path

import pytest
import rooms
from osrt_table import PAGE, page

ROOT = Path(os.environ["PROF_SOURCE"])
PROF = Path(os.environ["PROF_BUILD"]) / "bin" / "prof"

# folder -> folders whose headers it may include, besides its own and those inside it
ALLOWED = {folder: uses for folder, uses, _ in rooms.rows()}
GENERATED = {"cli/version.hpp", "cli/build_facts.hpp"}
# Code that runs in the program uses only those headers of the standard library that need no runtime.
INJECTION_HEADERS = {"algorithm", "atomic", "cstddef", "cstdint", "cstring", "cwchar", "initializer_list", "type_traits"}


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".h", ".c", ".def"):
                yield path


def folder_of(path):
    """The folder of ALLOWED that a file belongs to: those inside it group its files."""
    folder = Path(path).parent
    while folder.as_posix() not in ALLOWED:
        assert folder != folder.parent, f"{path} is in no room of docs/rooms.tsv"
        folder = folder.parent
    return folder.as_posix()


def test_includes_point_one_way():
    wrong = []
    used = {folder: set() for folder in ALLOWED}
    for path in sources(*rooms.TOPS):
        own = folder_of(path.relative_to(ROOT))
        for include in re.findall(r'^#include "(.*)"', path.read_text(), re.M):
            if "/" not in include or include in GENERATED or folder_of(include) == own:
                continue
            used[own].add(folder_of(include))
            if folder_of(include) not in ALLOWED[own]:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong
    assert used == ALLOWED, "docs/rooms.tsv allows what is not used"


def test_rooms_do_not_depend_on_each_other_in_a_circle():
    left = {folder: set(uses) for folder, uses in ALLOWED.items()}
    while left:
        free = {folder for folder, uses in left.items() if not uses & left.keys()}
        assert free, f"a circle: {sorted(left)}"
        left = {folder: uses for folder, uses in left.items() if folder not in free}


def test_table_of_rooms_is_current():
    assert rooms.PAGE.read_text() == rooms.page(), "run tests/lint/rooms.py --write"


def test_injection_uses_only_headers_without_a_runtime():
    wrong = []
    for path in sources("injection", "common/wire"):
        for include in re.findall(r"^#include <(.*)>", path.read_text(), re.M):
            if "." not in include and include not in INJECTION_HEADERS:
                wrong.append(f"{path.relative_to(ROOT)} includes <{include}>")
    assert not wrong


def test_files_are_of_a_size_to_read():
    long = [f"{path.relative_to(ROOT)}: {lines}" for path in sources(*rooms.TOPS)
            if (lines := path.read_text().count("\n")) > 500
            and path.suffix != ".def"]  # mere lists of names
    assert not long


NO_FUNCTION = re.compile(r'\s*(namespace|class|struct|union|enum|extern "C" \{|if|for|while|switch|do|else|return)\b')


def function_lengths(text):
    """(line, lines of the body) of each function in C or C++ as clang-format writes it."""
    lines = text.split("\n")
    start = number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.endswith("{"):
            head = " ".join(lines[start:number])
            if "(" in head and not NO_FUNCTION.match(head) and not re.search(r"^[^(]*= *\{$|\(\{$", head):
                indent = re.match(" *", lines[start]).group()
                length = next((i for i, each in enumerate(lines[number:]) if each.startswith(indent + "}")), 0)
                yield number, length
                number += length
            start = number
        elif not line.strip() or line.lstrip().startswith(("//", "#")) or line.endswith((";", "}", ":")):
            start = number


def test_functions_are_of_a_size_to_read():
    long = [f"{path.relative_to(ROOT)}:{line}: {length}"
            for path in sources(*rooms.TOPS)
            for line, length in function_lengths(path.read_text()) if length > 60]
    assert not long, "\n".join(long)


def test_folders_are_of_a_size_to_read():
    """A folder of more than 30 files has a README.md that gives the reason after "Why one folder"."""
    large = []
    for top in (*rooms.TOPS, "tests"):
        for folder in [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]:
            files = [path for path in folder.iterdir() if path.is_file()
                     and path.name not in ("README.md", "CMakeLists.txt") and path.suffix != ".pyc"]
            readme = folder / "README.md"
            if len(files) > 30 and not (readme.exists() and "**Why one folder" in readme.read_text()):
                large.append(f"{folder.relative_to(ROOT)}: {len(files)} files")
    assert not large, "\n".join(large)


def test_nothing_is_called_utils():
    for path in sources(*rooms.TOPS, "tests"):
        # gpu_time_util is a rule of nsys.
        parts = [part for part in path.relative_to(ROOT).parts if part != "common"]  # the room
        assert not re.search(r"/util|utils|helper|misc|common", "/".join(parts)), path


def test_folders_are_removed_in_one_place():
    """What another prof may use is judged by its lock alone (docs/decisions/0037)."""
    found = [path.relative_to(ROOT).as_posix() for path in sources("common", "collector", "exporters", "cli")
             if re.search(r"(filesystem|fs)::remove_all", path.read_text())]
    assert found == ["common/base/held/private_folder.cpp"]


def test_no_unfinished_work():
    for path in sources(*rooms.TOPS):
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text()), path


def found_by_cmake(path, text):
    """Files that a CMakeLists.txt finds itself."""
    for recursive, folder, pattern in re.findall(r"file\(GLOB(_RECURSE)? .*CONFIGURE_DEPENDS ([\w/]+)/(\*\.cpp)\)", text):
        yield from (path.parent / folder).glob(("**/" if recursive else "") + pattern)


def test_every_file_is_built():
    lists = {path: path.read_text() for path in ROOT.rglob("CMakeLists.txt")}
    listed = "".join(lists.values())
    found = {file for path, text in lists.items() for file in found_by_cmake(path, text)}
    on_gpu = (ROOT / "tests/gpu/build_programs.sh").read_text()
    for path in sources(*rooms.TOPS, "tests"):
        if path.suffix in (".cpp", ".c"):
            name = re.sub("^(x86_64|aarch64)", "${PROF_MACHINE}", path.name)  # one of them is built
            built = path in found or any(each in listed for each in (path.name, name, path.stem.removesuffix("_fuzz")))
            assert built or path.parent.match("tests/gpu/programs") and f" {path.stem}\n" in on_gpu, path


def test_unit_tests_mirror_the_tree():
    for path in (ROOT / "tests" / "unit").rglob("*_test.cpp"):
        tested = path.relative_to(ROOT / "tests" / "unit").as_posix().replace("_test.cpp", "")
        assert (ROOT / f"{tested}.hpp").exists() or (ROOT / f"{tested}.cpp").exists(), path


def test_every_program_is_used_by_a_test():
    tests = "".join(path.read_text() for path in (ROOT / "tests" / "integration").glob("test_*.py"))
    for path in (ROOT / "tests" / "programs").glob("*/*.*"):
        parts_of_a_program = path.parent.name == "osrt_every" or path.stem in ("nvtx_dso", "ctor_library", "versioned_calls")
        if path.suffix in (".c", ".cpp", ".py") and not parts_of_a_program:
            assert path.stem in tests, path


def test_list_of_functions_is_current():
    assert PAGE.read_text() == page(), "run tests/lint/osrt_table.py --write"


VERBS = [name.replace("_", "-") for name in re.findall(r"VERB\((\w+)\) *\\?\n", (ROOT / "cli/verbs/verbs.hpp").read_text())]


@pytest.mark.built
@pytest.mark.parametrize("verb", VERBS)
def test_manual_page_has_every_option(verb):
    text = (ROOT / "docs" / "man" / f"prof-{verb}.md").read_text()
    options = subprocess.run([PROF, verb, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for option in set(re.findall(r"^\s+(?:-\w,)?(--[\w-]+)", options, re.M)):
        assert f"**{option}**" in text, option
    for option in set(re.findall(r"\*\*(--[\w-]+)\*\*", text)):
        assert option in options or verb not in ("profile", "view", "stats", "analyze", "diff", "export", "recover", "status"), option


def test_verbs_are_listed_everywhere():
    assert "profile" in VERBS and "completion" in VERBS
    for document in ("README.md", "docs/man/prof.md"):
        text = (ROOT / document).read_text()
        for verb in VERBS:
            assert f"prof {verb}" in text or f"prof-{verb}" in text, (document, verb)


def test_every_table_is_described():
    text = (ROOT / "docs" / "schema.md").read_text()
    for path in (ROOT / "common" / "report" / "schema").glob("*.sql"):
        assert path.stem in text, path


def test_changelog_has_this_version():
    version = re.search(r"project\(prof VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert f"## {version}" in (ROOT / "docs" / "CHANGELOG.md").read_text()


def test_wire_types_are_documented():
    header = (ROOT / "common" / "wire" / "records.hpp").read_text()
    version = re.search(r"kWireVersion = (\d+);", (ROOT / "common" / "wire" / "version.hpp").read_text()).group(1)
    assert f"is version {version} " in (ROOT / "docs" / "wire-format.md").read_text()
    numbers = {int(n) for n in re.findall(r"^  k\w+ = (\d+),$", header.split("enum class RecordType")[1]
                                          .split("};")[0], re.M)} - {0}
    table = (ROOT / "docs" / "wire-format.md").read_text().split("## Records")[1]
    documented = {int(n) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.M) for n in row.split(",")}
    assert numbers <= documented
