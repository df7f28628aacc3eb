"""prof help --json is what the parser knows."""
import json
import re

import pytest
import yaml
from agent_cases import CAUSES
from profiling import SOURCE, prof

HELP = json.loads(prof("help", "--json").stdout)
VERBS = {each["name"]: each for each in HELP["verbs"]}
PAGES = SOURCE / "docs" / "man"


def test_every_verb_is_there():
    listed = re.findall(r"^  (\w[\w-]*)  ", prof("--help").stdout, re.M)
    assert list(VERBS) == listed and HELP["schema"] == "prof.help/1"
    one, = json.loads(prof("help", "--json", "facts").stdout)["verbs"]
    assert one == VERBS["facts"]
    done = prof("help", "--json", "fact")
    assert done.returncode == 2 and "did you mean facts?" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_options_are_those_that_help_prints(verb):
    printed = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", prof(verb, "--help").stdout, re.M))
    options = [option for option in VERBS[verb]["options"] if not option.get("positional") and not option.get("without_effect")]
    assert all(printed & set(option["names"]) for option in options), printed
    assert printed == {name for option in options for name in option["names"] if name in printed}


@pytest.mark.parametrize("verb", VERBS)
def test_options_are_in_the_manual_page(verb):
    page = (PAGES / f"prof-{verb}.md").read_text()
    heads = " ".join(line for line in page.splitlines() if line.startswith("**-"))
    listed = set(re.findall(r"\*\*(--?[\w-]+)", heads))
    options = [option for option in VERBS[verb]["options"] if not option.get("positional")]
    for option in options:
        if not option.get("without_effect"):
            assert listed >= set(option["names"]) and option["text"], option["names"]
    # These pages also list the options of recipes, and of the script that prof replay-op writes.
    assert verb in ("recipe", "replay-op") or listed <= {name for option in options for name in option["names"]}


# Verbs that only read. Their options are tried without a report, so that nothing runs: the parser answers first.
@pytest.mark.parametrize("verb", ["facts", "check", "query", "analyze", "stats", "diff", "info", "mcp"])
def test_the_parser_takes_what_is_listed(verb):
    for option in VERBS[verb]["options"]:
        for name in option["names"]:
            if option.get("positional") or name in ("-h", "--help") or name.startswith("--help"):
                continue
            done = prof(verb, name, "/nonexistent.db") if not option["takes_value"] else prof(verb, f"{name}=\x01" if name.startswith("--") else name, "x", "/nonexistent.db")
            assert done.returncode in (1, 2), (verb, name, done)
            assert f"unknown option {name}" not in done.stderr and "INTERNAL" not in done.stderr, done.stderr
    done = prof(verb, "--no-such-option", "/nonexistent.db")
    assert done.returncode == 2


def test_names_of_statistics_and_findings_are_known(tmp_path):
    report = CAUSES["pageable copies"].make(tmp_path)
    for each in HELP["statistics"]:
        assert "unknown" not in prof("stats", "-q", "-r", each["name"], "-f", "csv", report).stderr, each
        assert each["help"] and each["title"]
    for each in HELP["rules"]:
        assert prof("analyze", "-q", "-r", each["name"], "-f", "csv", report).returncode == 0, each
    for each in HELP["findings"]:
        assert prof("analyze", "-q", "--fail-on", f"{each}=100", report).returncode == 0, each


# --- errors for programs

@pytest.mark.parametrize("words, code, option, did_you_mean, following", [
    (["analyse", "r.db"], "unknown_verb", None, "analyze", "prof --help"),
    ([], "usage", None, None, "prof --help"),
    (["stats", "--fromat=csv", "r.db"], "unknown_option", "--fromat", "--format", "prof stats --help"),
    (["profile", "-o"], "missing_value", "-o", None, "prof profile --help"),
    (["facts", "--budget=many", "r.db"], "wrong_value", "--budget", None, "prof facts --help"),
    (["profile", "--osrt-threshold=-5", "true"], "wrong_value", "--osrt-threshold", None, "prof profile --help"),
    (["profile", "-t", "osrtt", "true"], "unknown_name", None, "osrt", "prof profile --help"),
    (["stats", "--align=none", "r.db"], "usage", "--align", None, "prof stats --help"),
    (["check"], "usage", None, None, "prof check --help"),
    (["facts", "no such \"file\".db"], "no_report", None, None, None),
    (["profile", "--force-overwrite", "-o", "/proc/none/r.db", "true"], "failed", None, None, None),
])
def test_errors_are_json_if_asked(words, code, option, did_you_mean, following):
    text = prof(*words)
    done = prof("--errors=json", *words)
    document = json.loads(done.stderr)
    assert done.stderr.count("\n") == 1 and done.returncode == text.returncode != 0
    assert list(document) == ["code", "message", "option", "did_you_mean", "next"]
    assert list(document.values())[2:] == [option, did_you_mean, following] and document["code"] == code
    assert not words or text.stderr == f"prof: {document['message']}\n"
    if words and words[0] in VERBS:  # the option of the verb does the same, also after the wrong one
        assert prof(words[0], "--errors", "json", *words[1:]).stderr == done.stderr
        assert prof(words[0], "--errors=json", "--errors=text", *words[1:]).stderr == text.stderr


def test_errors_of_every_verb_are_json():
    for verb in VERBS:
        document = json.loads(prof(verb, "--no-such-option", "--errors=json").stderr)
        assert (document["code"], document["option"], document["next"]) == ("unknown_option", "--no-such-option", f"prof {verb} --help")
    assert "neither text nor json" in prof("facts", "--errors=xml", "r.db").stderr
    done = prof("profile", "-t", "none", "-o", "/dev/null/r", "sh", "-c", "exit 0", "--errors=json")
    assert done.stderr.startswith("prof: ")  # the program's own words


# --- the skill file

SKILL = (SOURCE / "docs" / "skill" / "SKILL.md").read_text()


def test_prof_skill_prints_the_skill_file():
    assert prof("skill").stdout == SKILL
    assert "prof skill prints how coding agents use prof.\n" in prof("--help").stdout  # a build has no installed file


def test_the_skill_file_is_short_and_has_a_head():
    assert len(SKILL.encode()) <= 8_000
    head = yaml.safe_load(SKILL.split("---\n")[1])
    assert head["name"] == "prof" and 0 < len(head["description"]) <= 1_024
