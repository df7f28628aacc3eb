#!/usr/bin/env python3
"""Makes docs/images/perfetto.png: Perfetto's user interface with a trace of prof.

Usage: perfetto_picture.py TRACE START END [X,Y] [PICTURE]     (with the environment of tests/integration; times in ns;
                                                               X,Y: what is clicked at)
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "integration"))
from perfetto_trace import serve, show  # noqa: E402
from viewed_page import browsing  # noqa: E402

PICTURE = Path(__file__).resolve().parents[1] / "images" / "perfetto.png"


def main():
    trace, start, end, *rest = sys.argv[1:]
    with serve(trace) as url, browsing() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1080})
        show(page, f"{url}&hideSidebar=true&visStart={start}&visEnd={end}")
        if rest:
            page.mouse.click(*map(int, rest[0].split(",")))
            page.mouse.move(640, 20)
            page.evaluate("waitForPerfettoIdle()")
        page.screenshot(path=str(rest[1] if len(rest) > 1 else PICTURE))


if __name__ == "__main__":
    main()
