"""What docs/stability.md promises of JSON: documents about made-up reports, as they were printed first. Texts for people are
not promised. PROF_WRITE_GOLDEN=1 writes the files of golden/ again; a key that leaves them is a break."""
import json
import os
from pathlib import Path

import pytest
from agent_cases import CAUSES
from profiling import prof

GOLDEN = Path(__file__).with_name("golden")
TEXTS = {"text", "evidence", "remedy", "finding", "shares", "sentence", "why", "help", "elapsed_ms", "before", "after", "headline"}

DOCUMENTS = {
    "facts": ("pageable copies", ["facts", "REPORT"], 0),
    "facts_cpu": ("one lock holder", ["facts", "REPORT"], 0),
    "facts_topics": ("pageable copies", ["facts", "--budget", "0", "--topic", "idle,kernels,memory,record", "REPORT"], 0),
    "facts_changes": ("pageable copies", ["facts", "REPORT", "REPORT"], 0),
    "analyze": ("pageable copies", ["analyze", "-q", "-f", "json", "REPORT"], 0),
    "check": ("pageable copies", ["check", "-f", "json", "REPORT", "cause = pageable_copies", "copy.bytes = 1GB", "copy.count = 3",
                                  "range('a').median < 3ms", "first(copy) before first(kernel)"], 3),
    "query": ("pageable copies", ["query", "-f", "json", "REPORT", "SELECT kind, count(*) AS copies, sum(bytes) AS bytes FROM copies"], 0),
    "diff": ("pageable copies", ["diff", "-q", "-f", "json", "REPORT", "REPORT"], 0),
}


def without_texts(value):
    if isinstance(value, dict):
        return {key: "…" if key in TEXTS and isinstance(each, (str, float)) else without_texts(each) for key, each in value.items()}
    return [without_texts(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_as_promised(tmp_path, name):
    case, words, status = DOCUMENTS[name]
    report = CAUSES[case].make(tmp_path)
    done = prof(*(report if word == "REPORT" else word for word in words))
    assert done.returncode == status, done.stderr
    printed = json.dumps(without_texts(json.loads(done.stdout)), indent=1, ensure_ascii=False, sort_keys=True).replace(str(tmp_path), "") + "\n"
    golden = GOLDEN / f"{name}.json"
    if os.environ.get("PROF_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(printed)
    assert printed == golden.read_text()
