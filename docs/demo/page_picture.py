#!/usr/bin/env python3
"""Makes a picture of a page of a report, or of one of its parts.

Usage: page_picture.py REPORT.db PICTURE.png kernels|operators [PART]     (with the environment of tests/integration)

The page of kernels is that of the first kernel. PART is the id of an element, such as kernel-roofline or kernel-memory.
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "integration"))
from view_server import viewing  # noqa: E402
from viewed_page import browsing, view_of  # noqa: E402

COMPLETE = {"kernels": "__view.kernel?.figures", "operators": "document.querySelector('#operator-table')"}


def main():
    report, picture, page, *part = sys.argv[1:]
    size = {"width": 1280, "height": 660}
    with browsing() as browser, viewing(report) as server, \
            view_of(browser, f"{server.url}#view={page}", viewport=size) as view:
        view.open()
        view.wait(COMPLETE[page])
        view.settle()
        time.sleep(0.3)  # fonts
        if part:
            view.page.locator(f"#{part[0]}").screenshot(path=picture)
        else:
            view.page.screenshot(path=picture)


if __name__ == "__main__":
    main()
