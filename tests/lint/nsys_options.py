#!/usr/bin/env python3
"""Makes docs/nsys-options.md of prof's table of nsys's options, and of what prof has itself. `--write` writes the page.

nsys_options.tsv has the options of nsys 2026.4, by verb.
"""
import ast
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(os.environ.get("PROF_SOURCE", Path(__file__).resolve().parents[2]))
PROF = Path(os.environ.get("PROF_BUILD", ROOT / "build/release")) / "bin" / "prof"
PAGE = ROOT / "docs" / "nsys-options.md"
LIST = Path(__file__).with_name("nsys_options.tsv")
NAMES_OF_VERBS = {"sessions list": ["sessions"]}

HEAD = """# Options of nsys

*Each option of nsys 2026.4's verbs, and what prof does with it. `tests/lint/nsys_options.py` makes this page of prof's
own table (cli/options/words/nsys_options.cpp) and help. Tests compare it with nsys's list and with what prof says.*

A command line that was written for nsys records. An option that prof has is spelled as in nsys, with nsys's values;
`prof VERB --help` and the manual pages describe them. If prof has no such thing, one line on stderr names the option
and says what is missing (**note**), and the rest is recorded; the report's table DIAGNOSTIC_EVENT has the line, too.
The values **none** and **false** of such an option ask for nothing, so prof says nothing. The last one of several
values of an option counts. **True** and **False**, as Python writes them, are true and false. prof ends with status 2
only for what it cannot do as asked (**--run-as** another user, a file that cannot be read) and for typing errors.

nsys's verbs **ui**, **plugins**, **version**, **service** and **nvprof** end with a line that says what to type;
**finalize** has nothing to do. **import** is `prof recover`, **recipe** is described in [recipes.md](recipes.md).
"""

STRING = r'"(?:[^"\\]|\\.)*"'
Entry = namedtuple("Entry", "verbs names values answer text takes")


def nsys_options():
    """Names of options by verb."""
    verbs = {}
    for line in LIST.read_text().splitlines():
        verb, option = line.split("\t")
        verbs.setdefault(verb, []).append(option)
    return verbs


def table(name):
    """Entries of prof's table."""
    source = (ROOT / "cli/options/words/nsys_options.cpp").read_text()
    texts = dict(re.findall(rf"constexpr char (k\w+)\[\] =\s*((?:{STRING}\s*)+);", source))
    body = re.search(rf"constexpr NsysOption {name}\[\] = {{(.*?)\n}};", source, re.S).group(1)
    words = re.sub(rf"{STRING}|\bk[A-Z]\w*", lambda found: found[0] if found[0][0] == '"' else
                   texts.get(found[0], f'"{found[0]}"'), body)
    rows = ast.literal_eval(f"[{words.replace('{', '(').replace('}', ')')}]")
    return [Entry(*row, *["kAny"][len(row) - 5:]) for row in rows]


def run(*words, **options):
    return subprocess.run([PROF, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **options.pop("env", {})}, **options)


def own_options(verb):
    help_text = run(*NAMES_OF_VERBS.get(verb, [verb]), "--help").stdout
    return set(re.findall(r"^\s+(?:-\w,)?(--[\w-]+)", help_text, re.M))


def entries(name, verb, option):
    verb = NAMES_OF_VERBS.get(verb, [verb])[0]
    return [each for each in table(name) if verb in each.verbs.split() and option in each.names.split(",")]


def meaning(entry):
    values = ", ".join(f"`{value}`" for value in entry.values.split(",")) if entry.values else ""
    what = {"kNothing": "no effect" if not entry.values else "accepted", "kNote": f"note: {entry.text}",
            "kAlias": f"as `{entry.text}`", "kRefusal": f"no: {entry.text}"}[entry.answer]
    return f"{values}: {what}" if values else what


def page():
    text = HEAD
    for verb, options in nsys_options().items():
        own = own_options(verb)
        text += f"\n## {verb}\n\n| option | prof |\n|---|---|\n"
        for option in options:
            answers = ["yes"] if option in own else []
            answers += [meaning(each) for each in entries("kValues" if option in own else "kOptions", verb, option)]
            assert answers, f"prof {verb} says nothing about {option}"
            text += f"| `{option}` | {'; '.join(answers)} |\n"
    return text


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.exit(__doc__)
