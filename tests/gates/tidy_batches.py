"""clang-tidy of batches of files, for the row clang-tidy of CI. Half of its time goes to headers of the C++ library, which
a batch reads once.

tidy_batches.py FOLDER [WORDS FOR CLANG-TIDY...]: FOLDER has a build that was configured with PROF_UNITY. CMake's batches
include their files. The analyzer looks at functions of the main file alone, so the files are copied into the batch
instead. Messages name the file that a line is from.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from each_file import count_failures

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lint"))
import rooms  # noqa: E402


def origins_of(batch):
    """Copies the files into a batch. [(file, line)] of each line of the batch. What an earlier file includes is not included
    again, because of the check for duplicate includes. A file with such a duplicate keeps it."""
    lines, origins, included = [], [], set()
    for line in batch.read_text().split("\n"):
        found = re.fullmatch(r'#include "(/.*)"', line)
        path = Path(found.group(1)) if found else batch
        copied = path.read_text().split("\n") if found else [line]
        again = {each for each in included if copied.count(each) == 1}
        included |= {each for each in copied if each.startswith("#include ")}
        lines += ["" if each in again else each for each in copied]
        origins += [(path, number) for number in range(1, len(copied) + 1)]
    batch.write_text("\n".join(lines))
    return origins


def check(folder, path, words):
    """The messages of clang-tidy, and whether it found nothing."""
    origins = origins_of(path) if path.is_relative_to(folder) and path.parent.name == "Unity" else []
    done = subprocess.run(["clang-tidy-16", "--quiet", "-p", folder, *words, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)

    def source(match):
        file, line = origins[int(match.group(1)) - 1]
        return f"{file}:{line}:"

    text = done.stdout + re.sub(r"^\d+ warnings? generated\.\n|^Suppressed .*\n|^\n", "", done.stderr, flags=re.M)
    return (re.sub(rf"{re.escape(str(path))}:(\d+):", source, text) if origins else text), done.returncode == 0


def main(folder, *words):
    folder = Path(folder).resolve()
    entries = json.loads((folder / "compile_commands.json").read_text())
    # ROOT has no part of a name in common with a part of prof, unlike a folder above it.
    paths = {Path(entry["file"]) for entry in entries if entry["file"].endswith((".c", ".cpp", ".cxx"))}
    paths = [path for path in paths
             if (path.relative_to(folder) if path.is_relative_to(folder) else path.relative_to(ROOT)).parts[0] in rooms.TOPS]
    # The largest first, so that none of them runs alone at the end.
    paths.sort(key=lambda path: (-path.read_text().count('#include "/'), path))
    failed = count_failures(lambda path: check(folder, path, words), paths)
    print(f"clang-tidy found faults in {failed} of {len(paths)} batches and files" if failed else
          f"clang-tidy found nothing in {len(paths)} batches and files")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
