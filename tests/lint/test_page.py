"""The page of the viewer: types, sizes of modules, and the rules that let its modules be put into one file."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(os.environ["PROF_SOURCE"])
PAGE = ROOT / "exporters" / "viewer" / "page"
MODULES = sorted(PAGE.glob("*.js"))
OPTIONS = ["--allowJs", "--checkJs", "--noEmit", "--strict", "--noUnusedLocals", "--noUnusedParameters",
           "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"]


@pytest.mark.skipif(not shutil.which("tsc"), reason="no tsc (package node-typescript)")
def test_types_are_right():
    done = subprocess.run(["tsc", *OPTIONS, *MODULES, PAGE / "types.d.ts"], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_modules_are_of_a_size_to_read():
    long = {path.name: lines for path in PAGE.iterdir() if (lines := path.read_text().count("\n")) > 500}
    wide = [f"{path.name}:{number}" for path in MODULES
            for number, line in enumerate(path.read_text().split("\n"), 1) if len(line) > 200]
    assert not long and not wide


def imports(path):
    return re.findall(r"^import .*? from '\./(\w+\.js)';$", path.read_text(), re.M | re.S)


def test_imports_have_no_cycles():
    above = {path.name: set(imports(path)) for path in MODULES}
    while above:
        free = [name for name, others in above.items() if not others & above.keys()]
        assert free, f"these import each other: {sorted(above)}"
        for name in free:
            del above[name]


def test_the_page_of_a_job_names_its_modules():
    """The browser loads them at once, not one row of imports after the other."""
    needed = ["run_main.js"]
    for name in needed:
        needed += [each for each in imports(PAGE / name) if each not in needed]
    named = re.findall(r'<link rel="modulepreload" href="page/(\w+\.js)">', (PAGE / "run.html").read_text())
    assert named == sorted(needed[1:])


def test_modules_can_be_put_into_one_file():
    for path in MODULES:
        for line in re.findall(r"^(?:import|export)\b.*", path.read_text(), re.M):
            assert re.match(r"import \{ [\w, ]+ \} from '\./\w+\.js';$|export (async )?(function\*?|class|const) ", line), (path.name, line)
        assert "import(" not in re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S), path.name


def test_only_main_acts_when_it_is_loaded():
    for path in MODULES:
        if path.name not in ("main.js", "run_main.js"):
            for line in path.read_text().split("\n"):
                assert not re.match(r"[a-z]\w*(\.\w+)*\(|new ", line), (path.name, line)


def test_no_markup_from_strings():
    for path in MODULES:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", path.read_text()), path.name
    assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", (PAGE / "index.html").read_text())
