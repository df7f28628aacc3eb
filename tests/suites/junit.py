"""Reads the results of tests from JUnit's XML, as regrtest and pytest write it."""
import re
from collections import Counter
from xml.etree import ElementTree

from suite import Part


def outcome_of(case):
    for child in case:
        if child.tag in ("failure", "error"):
            text = (child.get("message") or child.text or "").strip().splitlines()
            return f"{child.tag}: {text[-1] if text else ''}"
        if child.tag in ("skipped", "skip"):
            return f"skipped: {child.text or child.get('message') or ''}"
    if case.get("result") == "skipped" or case.get("status") == "skipped":
        return f"skipped: {''.join(child.text or '' for child in case)}"
    return case.get("result") or "no result"


def cases(path, name_of):
    """{case: outcome}. Cases of the same name get a number."""
    result, seen = {}, Counter()
    if path.exists() and path.stat().st_size:
        for case in ElementTree.parse(path).iter("testcase"):
            name = name_of(case)
            seen[name] += 1
            result[f"{name} #{seen[name]}" if seen[name] > 1 else name] = outcome_of(case)
    return result


def without_numbers(text):
    """Failures name ports, addresses and times, which differ in each run."""
    return re.sub(r"0x[0-9a-f]+|[0-9]+(\.[0-9]+)?", "N", text)


def pytest_part(name, python, words, directory=None, limit=900):
    """One call of pytest on a file or module. A file that cannot be imported is a case too."""
    def outcomes(_, scratch):
        found = cases(scratch / "results.xml", lambda case: f"{case.get('classname')}.{case.get('name')}")
        return {case: without_numbers(outcome).replace("no result", "passed") for case, outcome in found.items()}

    return Part(name, [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml", "{scratch}/results.xml",
                       "--basetemp", "{scratch}/tmp/pytest", *words],
                outcomes, limit, directory=directory, environment={"PYTHONDONTWRITEBYTECODE": "1"})


def environment_python(arguments):
    """The Python of the virtual environment in which `./dev suites` installs tests/suites/requirements.txt."""
    python = arguments.sources / "venv" / "bin" / "python"
    if not python.exists():
        raise SystemExit(f"{python} is missing: start the suite with ./dev suites")
    return python
