"""The Python files use no name that does not exist. A test that is skipped here, because its data is elsewhere, would
fail there."""
import ast
import re
import subprocess
from pathlib import Path

from pyflakes import checker, messages

ROOT = Path(__file__).resolve().parents[2]
FAULTS = (messages.UndefinedName, messages.UndefinedExport, messages.UndefinedLocal)
# Files that are one module, and run in this order, and the names that injection/python/annotations.cpp gives to its code.
ONE_MODULE = [f"injection/python/{name}.py" for name in ("pytorch", "module_paths", "operators", "vllm", "annotations")]
GIVEN = {"_prof_python": {"make_range", "report", "SESSION", "peek", "begin_layout_test", "expect_call", "end_layout_test",
                          "name_type", "observe_operators", "record_torch_memory"}}


def faults(text, name="example.py"):
    found = checker.Checker(ast.parse(text, name), name).messages
    return [f"{name}:{each.lineno}: {each.message % each.message_args}" for each in found
            if isinstance(each, FAULTS) and each.message_args[0] not in GIVEN.get(name, ())]


def test_names_exist():
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    files = [name for name in listed.split("\n") if name and (ROOT / name).exists()]
    assert len(files) > 100
    text_of = {name: (ROOT / name).read_text(encoding="utf-8") for name in files}
    texts = {"_prof_python": "\n".join(text_of.pop(name) for name in ONE_MODULE), **text_of}
    assert not [fault for name, text in texts.items() for fault in faults(text, name)]


def test_the_files_of_one_module_are_those_of_the_build():
    command = (ROOT / "injection/CMakeLists.txt").read_text(encoding="utf-8")
    assert [f"injection/{name}" for name in re.findall(r"python/\w+\.py", command)] == ONE_MODULE


def test_a_missing_name_is_found():
    assert faults("def f():\n    return unpack(1)\n") == ["example.py:2: undefined name 'unpack'"]
    assert not faults("from profiling import unpack\ndef f():\n    return unpack(1)\n")
