"""The Python files use no name that does not exist. A test that is skipped here, because its data is elsewhere, would
fail there."""
import ast
import subprocess
from pathlib import Path

from pyflakes import checker, messages

ROOT = Path(__file__).resolve().parents[2]
FAULTS = (messages.UndefinedName, messages.UndefinedExport, messages.UndefinedLocal)
# Names that injection/python/annotations.cpp gives to the code.
GIVEN = {"injection/python/annotations.py": {"make_range", "report", "SESSION"}}


def faults(text, name="example.py"):
    found = checker.Checker(ast.parse(text, name), name).messages
    return [f"{name}:{each.lineno}: {each.message % each.message_args}" for each in found
            if isinstance(each, FAULTS) and each.message_args[0] not in GIVEN.get(name, ())]


def test_names_exist():
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    files = [name for name in listed.split("\n") if name and (ROOT / name).exists()]
    assert len(files) > 100
    assert not [fault for name in files for fault in faults((ROOT / name).read_text(encoding="utf-8"), name)]


def test_a_missing_name_is_found():
    assert faults("def f():\n    return unpack(1)\n") == ["example.py:2: undefined name 'unpack'"]
    assert not faults("from profiling import unpack\ndef f():\n    return unpack(1)\n")
