"""Lets clang read each file of prof alone, for the row compiler of CI: all its errors and warnings, no code.

compile_alone.py FOLDER: FOLDER has a build that was configured for clang without PROF_UNITY. Most of the time would go to
the same headers of the C++ library, so these are precompiled. tests/lint/test_standard_headers.py sees that a file
includes those that it uses.
"""
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from each_file import count_failures

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lint"))
import rooms  # noqa: E402

HEADERS = ("fmt/format.h", "functional", "map", "memory", "optional", "set", "span", "string", "string_view", "unordered_map",
           "variant", "vector")


def options_of(entry):
    """The words of a command between the compiler and the file, without those that name its output."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if "clang" in Path(word).name)
    output = words.index("-o")
    return words[:compiler + 1], [word for word in words[compiler + 1:output] if not word.startswith("-W")], \
        [word for word in words if word.startswith("-W")]


def precompiled(folder, entries):
    """A precompiled header for each set of options of the C++ library's users: {options of the language: file}."""
    made = {}
    for entry in entries:
        compiler, options, _ = options_of(entry)
        language = language_of(options)
        if not entry["file"].endswith(".cpp") or "-fno-exceptions" in options or language in made:
            continue
        header = folder / f"precompiled{len(made)}.hpp"
        header.write_text("".join(f"#include <{name}>\n" for name in HEADERS))
        made[language] = header.with_suffix(".pch")
        subprocess.run([compiler[-1], *language, "-x", "c++-header", header, "-o", made[language]], check=True)
    return made


def language_of(options):
    return tuple(word for word in options if not re.match(r"-[DI]|-isystem|/", word))


def check(entry, headers):
    compiler, options, warnings = options_of(entry)
    header = headers.get(language_of(options)) if entry["file"].endswith(".cpp") else None
    use = ["-include-pch", header] if header else []
    done = subprocess.run([compiler[-1], *use, *options, *warnings, "-fsyntax-only", entry["file"]], cwd=entry["directory"],
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr, done.returncode == 0


def main(folder):
    folder = Path(folder).resolve()
    entries = [entry for entry in json.loads((folder / "compile_commands.json").read_text())
               if entry["file"].endswith((".c", ".cpp")) and Path(entry["file"]).is_relative_to(ROOT)
               and Path(entry["file"]).relative_to(ROOT).parts[0] in rooms.TOPS]
    headers = precompiled(folder, entries)
    failed = count_failures(lambda entry: check(entry, headers), entries)
    print(f"clang has errors or warnings for {failed} of {len(entries)} files" if failed else
          f"clang has nothing to say about {len(entries)} files")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
