"""docs/nsys-options.md says what is true, of all options of nsys."""
import os
from pathlib import Path

import pytest
from nsys_options import PAGE, ROOT, nsys_options, page

TRUTH = Path(os.environ.get("PROF_NSYS_TRUTH", ROOT.parent / "shared" / "nsys-truth")) / "cli-options.tsv"


def test_page_is_current():
    assert PAGE.read_text() == page(), "run tests/lint/nsys_options.py --write"


@pytest.mark.skipif(not TRUTH.exists(), reason="nsys's own list of options is not here")
def test_no_option_is_missing():
    known = nsys_options()
    for line in TRUTH.read_text().splitlines()[1:]:
        verb, option = line.split("\t")[:2]
        for name in option.split():
            if verb in known and name.startswith("--") and not name.endswith("-"):
                assert name in known[verb], (verb, name)
