#!/usr/bin/env python3
"""Makes docs/nsys-options.md of what prof says about each option of nsys. `--write` writes the page.

nsys_options.tsv has the names of nsys's options that concern recording, by verb.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("PROF_SOURCE", Path(__file__).resolve().parents[2]))
PROF = Path(os.environ.get("PROF_BUILD", ROOT / "build/release")) / "bin" / "prof"
PAGE = ROOT / "docs" / "nsys-options.md"
LIST = Path(__file__).with_name("nsys_options.tsv")
NAMES_OF_VERBS = {"sessions list": ["sessions"]}

HEAD = """# Options of nsys

*Each option of nsys's verbs that record, and what prof does with it. `tests/lint/nsys_options.py` makes this page of
what prof says itself, and a test compares it with nsys's list.*

An option that prof has is spelled as in nsys, with nsys's values. `prof VERB --help` and the manual pages describe
them. An option that prof does not have ends prof with status 2 and the reason. The value in brackets is accepted,
because it asks for what prof does anyway.
"""


def nsys_options():
    """Names of options by verb."""
    verbs = {}
    for line in LIST.read_text().splitlines():
        verb, option = line.split("\t")
        verbs.setdefault(verb, []).append(option)
    return verbs


def run(*words):
    return subprocess.run([PROF, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})


def own_options(verb):
    help_text = run(*NAMES_OF_VERBS.get(verb, [verb]), "--help").stdout
    return set(re.findall(r"^\s+(?:-\w,)?(--[\w-]+)", help_text, re.M))


def refusal(verb, option):
    """Why prof does not have it, by its own message."""
    done = run(*NAMES_OF_VERBS.get(verb, [verb]), f"{option}=?", "true")
    prefix = f"prof: {option}: "
    assert done.returncode == 2 and done.stderr.startswith(prefix) and done.stderr.count("\n") == 1, (verb, option, done)
    return done.stderr[len(prefix):].strip()


def accepted(option):
    """The value that asks for what prof does anyway, or None."""
    source = (ROOT / "cli/options/words/nsys_options.cpp").read_text()
    found = re.search(r'\{"%s", (?:nullptr|"-\w"), "(\w+)"' % option, source)
    return found and found.group(1)


def page():
    text = HEAD
    for verb, options in nsys_options().items():
        own = own_options(verb)
        text += f"\n## {verb}\n\n| option | prof |\n|---|---|\n"
        for option in options:
            value = accepted(option)
            text += f"| `{option}` | " + ("yes" if option in own else
                                         f"no{f' (`{value}`)' if value else ''}: {refusal(verb, option)}") + " |\n"
    return text


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.exit(__doc__)
