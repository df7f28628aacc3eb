"""prof help --json is what the parser takes: each option with values of its type, and with a wrong one."""
import json
import os
import re
import subprocess

import pytest
from profiling import PROF

VERBS = {each["name"]: each["options"] for each in json.loads(
    subprocess.run([PROF, "help", "--json"], stdout=subprocess.PIPE, check=True).stdout)["verbs"]}
# What keeps a verb from doing its work when its options are right. Other verbs lack a program, a report or a session.
STOP = {"start": ["--session=none"], "monitor": ["-n", "1"]}
# The help names a value of ncu that is refused with a reason.
REFUSED = [("--graph-profiling", "graph")]
# Types that any text, or none of ours, belongs to.
ANY = re.compile(r"FILE|FOLDER|NAME|TEXT|COMMAND|PATTERN|LIST|REPORT|USER|EXPR|KIND|TYPE|FORMAT|RANGE|WHAT|SESSION|A=B|CHIP|ACTION|"
                 r"TIME|GPUS|HOST|ADDRESS|COLUMN|CONTEXT|CHANGE|RANK|SUBSYSTEM|START|PID|TID|NAMES|UNIT|BASE|FINDING|IDS|PERIOD|"
                 r"SIGNAL|PATH")

NEEDS_NO_VALUE = re.compile(r"\[([^\[\]]|\[[^\]]*\])*\]")


def options(verb):
    return [each for each in VERBS[verb] if not each.get("positional") and each["takes_value"] and not each.get("without_effect")]


def values(option):
    """Values that the type names, and the default."""
    kind = option.get("type", "")
    listed = re.search(r"\{(.*)\}", kind)
    if listed:
        named = listed[1].split(",")
    else:
        named = [each for each in kind.split("|") if each.islower() and "|" in kind and ":" not in each and "[" not in each]
    return dict.fromkeys([*named, *([option["default"]] if option.get("default") else [])])


def answer(verb, folder, *words):
    """What prof says about these words; {}: nothing is wrong."""
    done = subprocess.run([PROF, verb, "--errors=json", *STOP.get(verb, []), *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, cwd=folder, env={**os.environ, "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)})
    last = done.stderr.splitlines()[-1:]
    return {"status": done.returncode, **(json.loads(last[0]) if last and last[0].startswith("{") else {})}


@pytest.mark.parametrize("verb", VERBS)
def test_values_that_the_help_names_are_taken(verb, tmp_path):
    for option in options(verb):
        for value in values(option):
            if (option["names"][-1], value) in REFUSED:
                continue
            said = answer(verb, tmp_path, f"{option['names'][-1]}={value}")
            assert said.get("code") not in ("unknown_option", "missing_value", "wrong_value", "internal"), (verb, option, value, said)


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_value_is_refused(verb, tmp_path):
    for option in options(verb):
        kind = option.get("type", "").split(":{")[0]
        if not ANY.search(kind) and "[" not in kind.split(":")[0]:  # parts in brackets are looked at later
            said = answer(verb, tmp_path, f"{option['names'][-1]}=\x01")
            assert said["status"] == 2 and said["option"] in option["names"], (verb, option, said)


@pytest.mark.parametrize("verb", VERBS)
def test_an_option_without_its_value_is_refused(verb, tmp_path):
    for option in options(verb):
        if NEEDS_NO_VALUE.fullmatch(option.get("type", "")):  # prof view --session shows what another test records
            continue
        said = answer(verb, tmp_path, option["names"][-1])
        assert said.get("code") not in ("unknown_option", "internal"), (verb, option, said)
