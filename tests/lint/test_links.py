"""Links in documents lead to files, and to headings of these. Addresses on the web are not followed."""
import os
import re
from pathlib import Path

import rooms

ROOT = Path(os.environ["PROF_SOURCE"])
FOLDERS = ("docs", "tests", "packaging", "cmake", *rooms.TOPS)


def documents():
    return [ROOT / "README.md", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md")))]


def without_code(text):
    """Text without code blocks and words in code, which may look like headings and links."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(path):
    """The names that GitHub gives to headings, and those of HTML elements."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    found = set(re.findall(r'<\w+ (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#{1,6} +(.+?)\s*#*$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number, first = 0, name
        while name in found:
            number += 1
            name = f"{first}-{number}"
        found.add(name)
    return found


def links(path):
    text = without_code(path.read_text())
    found = re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text) + re.findall(r"^\[[^\]]+\]: +(\S+)", text, re.M)
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def test_links_in_documents_lead_somewhere():
    dead = []
    for path in documents():
        for link in links(path):
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            if not target.exists():
                dead.append(f"{path.relative_to(ROOT)}: {link}: no such file")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                dead.append(f"{path.relative_to(ROOT)}: {link}: no such heading")
    assert not dead, "\n".join(dead)
