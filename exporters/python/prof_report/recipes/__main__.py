"""python3 -m prof_report.recipes: what prof recipe runs."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
