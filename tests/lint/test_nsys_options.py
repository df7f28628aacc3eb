"""docs/nsys-options.md says what is true, of all options of nsys."""
import functools
import os
from pathlib import Path

import pytest
from nsys_options import NAMES_OF_VERBS, PAGE, ROOT, nsys_options, own_options, page, run, table

TRUTH = Path(os.environ.get("PROF_NSYS_TRUTH", ROOT.parent / "shared" / "nsys-truth")) / "2026.4" / "cli-options.tsv"
pytestmark = pytest.mark.built


@functools.cache
def long_options(verb):
    return own_options(verb)


def test_page_is_current():
    assert PAGE.read_text() == page(), "run tests/lint/nsys_options.py --write"


@pytest.mark.skipif(not TRUTH.exists(), reason="nsys's own list of options is not here")
def test_no_option_is_missing():
    known = nsys_options()
    for line in TRUTH.read_text().splitlines()[1:]:
        verb, option = line.split("\t")[:2]
        for name in option.split():
            if verb in known and name.startswith("--"):
                assert name in known[verb], (verb, name)


def test_the_table_has_only_what_prof_lacks():
    for entry in table("kOptions"):
        for verb in entry.verbs.split():
            own = long_options(verb)
            assert not own & set(entry.names.split(",")), entry
    for entry in table("kValues"):
        assert all(entry.names in long_options(verb) for verb in entry.verbs.split()), entry


def notes(verb):
    """Words that have a note, and the notes."""
    found = {}
    for entry in table("kOptions"):
        if verb in entry.verbs.split() and entry.answer == "kNote":
            long = entry.names.split(",")[-1]
            found.setdefault(f"{long}={entry.values.split(',')[0] or '?'}", f"prof: {long}: {entry.text}")
    return found


@pytest.mark.parametrize("verb", ["profile", "launch", "start"])
def test_each_note_is_one_line_and_the_rest_is_recorded(tmp_path, verb):
    found = notes(verb)
    assert len(found) > 20
    sessions = {"XDG_RUNTIME_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    rest = {"profile": ["-t", "none", "-o", "r", "true"], "launch": ["true"], "start": ["--session-new=noted"]}[verb]
    done = run(verb, *found, *rest, cwd=tmp_path, env=sessions)
    if verb == "start":
        assert run("cancel", "--session=noted", env=sessions).returncode == 0
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert [said.count(note) for note in found.values()] == [1] * len(found), done.stderr


def test_verbs_of_nsys_say_what_to_type():
    for verb, instead in (("ui", "prof view"), ("version", "prof --version"), ("service", "prof sessions list"),
                          ("plugins", "--enable=help"), ("nvprof", "prof profile")):
        done = run(verb, "list", "--anything")
        assert done.returncode == 2 and instead in done.stderr and done.stderr.count("\n") == 1, done
    assert run("finalize", "--session=x").returncode == 0
    assert "nsys import" in run("import", "of_nsys.qdstrm").stderr
    assert all(run(*NAMES_OF_VERBS.get(verb, [verb]), "--help").returncode == 0 for verb in nsys_options())
