#!/usr/bin/env python3
"""Makes a picture of the page of the first kernel of a report, or of one of its parts.

Usage: kernel_picture.py REPORT.db PICTURE.png [PART]     (with the environment of tests/integration)

PART is the id of an element, such as kernel-roofline or kernel-memory.
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "integration"))
from view_server import viewing  # noqa: E402
from viewed_page import browsing, view_of  # noqa: E402


def main():
    report, picture, *part = sys.argv[1:]
    size = {"width": 1280, "height": 660}
    with browsing() as browser, viewing(report) as server, \
            view_of(browser, server.url + "#view=kernels", viewport=size) as view:
        view.open()
        view.wait("__view.kernel?.figures")
        view.settle()
        time.sleep(0.3)  # fonts
        if part:
            view.page.locator(f"#{part[0]}").screenshot(path=picture)
        else:
            view.page.screenshot(path=picture)


if __name__ == "__main__":
    main()
