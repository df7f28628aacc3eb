"""One voice: words that we no longer use, and lines of documents that fit a screen.

docs/CONTRIBUTING.md has the glossary and the rules of style.
"""
import functools
import os
import re
from pathlib import Path

import pytest
import rooms

ROOT = Path(os.environ["PROF_SOURCE"])
LONGEST_LINE = 120

# (pattern, what to write instead). Searched without regard to case in code, comments and documents.
OLD_WORDS = [
    # Phrases
    (r"\bso many\b", "a value: N, 'as many as'"),
    (r"\bso much\b(?! (faster|slower|longer))", "a value"),
    (r"\bwhoever\b", "who acts"),
    (r"\bfor ever\b", "no limit, forever"),
    (r"\bkin\b", "and similar functions"),
    (r"\bdear(er|est|ly)?\b", "slow, costs more"),
    (r"\btell(s|ing)? (of|us|prof of)\b|\btold\b(?! apart)", "report, say, know"),
    (r"\bcease[sd]?\b", "stop, end"),
    (r"\bof (its|their|our|his) own\b(?= *([.,;:)]|$|(and|or|that|which|in|for|with|where|when|if|on|to|by|as|from)\b))",
     "own, separate, private"),
    (r"(?<!there )(?<!if )\bis no (?!longer|more\b|less\b)", "is not a"),
    (r"\b(is|are) none of (ours|its)\b", "does not belong to"),
    (r"\bbehind\b", "after; hides"),
    (r"\blost are\b|\bleft is what\b", "subject first"),
    (r"\bfinds? no room\b", "does not fit; is dropped"),
    (r"\blets? go of\b", "releases"),
    (r"\bhearsay\b|\bhears? (of|from)\b|\bheard of\b", "receive, learn"),
    (r"\ball the same\b", "nevertheless"),
    (r"\banew\b", "again"),
    (r"\bthat there (is|are) not\b", "missing"),
    (r"\bas (it|they) (is|are) told\b", "as configured"),
    (r"\bnothing (that )?hides\b|\bhides nothing\b", "exposed"),
    (r"\bfor \w+'s sake\b", "for compatibility"),
    (r"\bback[- ]traces?\b", "call chain"),
    # Names
    (r"hear_(everybody|silent)|silent_peers|tell_of_|close_books|closing_words", "poll_…, report_…, final_…"),
    (r"\b(let|take)_in\b|take_impostors|\bimpostors\(", "admit, register_…, reject_…"),
    (r"has_met_|\bhas_heard|take_leave", "has_joined_…"),
    # References to what is not in this repository
    (r"\bshared/[\w/-]+\.md|\bdesign\.md|\bissue \d+\b", "the reason itself"),
]
# They quote the glossary or history.
EXCEPT = {"docs/CHANGELOG.md", "docs/CONTRIBUTING.md", "tests/lint/test_prose.py", "LICENSE"}
DATA = {"tests/integration/nsys_truth", "tests/fake_cupti/captured"}
SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".S", ".def", ".py", ".md", ".sql", ".txt", ".cmake", ".in", ".cu", ".sh", ".js",
            ".yml"}


@functools.cache
def texts():
    """[(path below ROOT, text, text in one line)] of everything that a person wrote."""
    return [(name, text, " ".join(text.split())) for name, text in written_texts()]


def written_texts():
    for folder in (".github", "cmake", "docs", "packaging", "tests", *rooms.TOPS):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and name not in EXCEPT and not any(name.startswith(each) for each in DATA):
                yield name, path.read_text(errors="replace")
    for name in ("README.md", "SECURITY.md", "CMakeLists.txt", ".editorconfig", "dev"):
        yield name, (ROOT / name).read_text()


def paragraphs(text):
    """(line number, line with the start of the next one): phrases go across lines of comments."""
    lines = [re.sub(r"^\s*(//|#|--)+ ?", "", line).strip() for line in text.split("\n")]
    for number, line in enumerate(lines):
        following = lines[number + 1].split(" ")[:3] if number + 1 < len(lines) else []
        yield number + 1, line, " ".join([line, *following])


@pytest.mark.parametrize("pattern,instead", OLD_WORDS, ids=[pattern for pattern, _ in OLD_WORDS])
def test_old_words_are_gone(pattern, instead):
    search = re.compile(pattern, re.IGNORECASE)
    found = []
    for name, text, one_line in texts():
        if not search.search(one_line) and not search.search(text):
            continue
        for number, line, joined in paragraphs(text):
            match = search.search(joined)
            if match and match.start() < len(line):
                found.append(f"{name}:{number}: {match.group()}")
    assert not found, f"write instead: {instead}\n" + "\n".join(found)


def document_lines(text):
    """(line number, line) of prose: not of code blocks, rows of tables, and lines that are one link."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith("|") and len(line.split()) > 1:
            if not re.fullmatch(r"(- )?(\[[^\]]*\]\([^)]*\)|<?https?://\S+)[.,;:]?", line.strip()):
                yield number, line


def test_lines_of_documents_fit_a_screen():
    long = [f"{path.relative_to(ROOT)}:{number}: {len(line)}"
            for path in [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md")),
                         *(path for folder in (".github", "packaging", "tests", *rooms.TOPS)
                           for path in sorted((ROOT / folder).rglob("*.md")))]
            for number, line in document_lines(path.read_text()) if len(line) > LONGEST_LINE]
    assert not long, "\n".join(long)


def test_architecture_is_read_in_five_minutes():
    text = rooms.PAGE.read_text().replace(rooms.table(), "")  # which nobody reads line by line
    assert len(text.split()) < 1500


def test_readme_fits_three_screens():
    assert (ROOT / "README.md").read_text().count("\n") < 120
