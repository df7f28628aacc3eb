"""Makes one file of the page: bundle.py PAGE_FOLDER OUTPUT.

OUTPUT lists its pieces for single_page.cpp: where the files of the folder have them, or their text.

Modules become functions in one script, because a page that is opened from a file cannot import others. The module
source.js, which sends requests, is replaced by file_source.js, which reads the data of the file. These follow the mark
"<!--data-->". The policy of the page allows this script and these styles only.
"""
import base64
import hashlib
import re
import sys
from pathlib import Path

REPLACED = {"source.js": "file_source.js"}
IMPORT = re.compile(r"^import\s+(?:\{([^}]*)\}\s+from\s+|\*\s+as\s+(\w+)\s+from\s+)?'\./([\w.]+)';\n", re.M)
EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.M)
LIST = re.compile(r"^export\s+\{([^}]*)\};\n", re.M)


def fail(name, why):
    sys.exit(f"bundle.py: {name}: {why}")


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.functions = []  # in the order in which they run
        self.done = set()

    def add(self, name, importers=()):
        """The module and those that it imports, which come first."""
        name = REPLACED.get(name, name)
        if name in importers:
            fail(name, f"modules import each other: {' → '.join([*importers, name])}")
        if name in self.done:
            return name
        text = (self.folder / name).read_text()
        names = []

        def take_import(match):
            listed, everything, other = match.groups()
            other = self.add(other, (*importers, name))
            if everything:
                return f"const {everything} = modules['{other}'];\n"
            parts = [re.sub(r"\s+as\s+", ": ", part.strip()) for part in (listed or "").split(",") if part.strip()]
            return f"const {{ {', '.join(parts)} }} = modules['{other}'];\n" if parts else ""

        def take_export(match):
            names.append(match[2])
            return f"{match[1]} {match[2]}"

        def take_list(match):
            names.extend(part.strip() for part in match[1].split(",") if part.strip())
            return ""

        text = LIST.sub(take_list, EXPORT.sub(take_export, IMPORT.sub(take_import, text)))
        if "</script" in text or "<!--" in text:
            fail(name, "</script and <!-- would end the script")
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)  # types are imported in comments
        if wrong := re.search(r"^(import|export)\b.*|\bimport\s*\(.*|\bimport\.meta\b", code, re.M):
            fail(name, f"not understood: {wrong.group()}")
        self.functions.append(f"modules['{name}'] = (() => {{\n{text}\nreturn {{ {', '.join(names)} }};\n}})();\n")
        self.done.add(name)
        return name


def lines_by_text(folder):
    """{line: (file, where it begins)}, the longest files last, because they have most of the page."""
    found = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_size):
        if path.suffix in (".html", ".js", ".css", ".svg"):
            begin = 0
            for line in path.read_bytes().splitlines(keepends=True):
                found[line] = (path.name, begin)
                begin += len(line)
    return found


def pieces_of(page, folder):
    """[(file, where it begins, its size, its text)]: bytes of files, or texts, which the page consists of."""
    places, contents = lines_by_text(folder), {}
    pieces = []
    for line in page.splitlines(keepends=True):
        name, begin, size, text = pieces[-1] if pieces else ("", 0, 0, "")
        if name and name not in contents:
            contents[name] = (folder / name).read_bytes()
        if name and contents[name][begin + size:].startswith(line):
            pieces[-1] = (name, begin, size + len(line), "")
        elif line in places and len(line) > 1:
            pieces.append((*places[line], len(line), ""))
        elif pieces and not name:
            pieces[-1] = ("", 0, 0, text + line.decode())
        else:
            pieces.append(("", 0, 0, line.decode()))
    return pieces


def source_of(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def main():
    folder, output = map(Path, sys.argv[1:])
    page = (folder / "index.html").read_text()
    styles = "".join((folder / name).read_text() for name in re.findall(r'<link[^>]*href="page/([\w.]+\.css)"', page))
    bundle = Bundle(folder)
    for name in re.findall(r'<script[^>]*src="page/([\w.]+)"', page):
        bundle.add(name)
    script = "'use strict';\n(() => {\nconst modules = {};\n" + "".join(bundle.functions) + "})();\n"
    policy = ("default-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
              f"script-src {source_of(script)}; style-src {source_of(styles)}; "
              "require-trusted-types-for 'script'; trusted-types 'none'")
    page = re.sub(r'[ \t]*<link[^>]*href="page/[\w.]+\.css"[^>]*>\n?', "", page)
    page = re.sub(r'[ \t]*<script[^>]*src="page/[\w.]+"[^>]*></script>\n?', "", page)
    page = re.sub(r'(<meta charset="utf-8"\s*/?>)', lambda match: match[1] + "\n"
                  f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{styles}</style>', page, count=1)
    end = page.rfind("</body>") if "</body>" in page else len(page)
    whole = page[:end] + f"<!--data-->\n<script>{script}</script>\n" + page[end:]
    output.write_text("// Generated by exporters/viewer/file/bundle.py.\n" + "".join(
        f'{{"{name}", {begin}, {size}, {{}}}},\n' if name else f'{{{{}}, 0, 0, R"page({text})page"}},\n'
        for name, begin, size, text in pieces_of(whole.encode(), folder)))


main()
