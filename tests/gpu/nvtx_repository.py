"""Programs of NVIDIA's NVTX repository and its Python tests: rows like nsys's. build_nvtx_programs.sh makes them."""
import sys

from suite import NSYS, ROOT, Report, check, run, show, under_nsys, under_prof

FOLDER = ROOT / "build" / "nvtx"
COMMANDS = {"C and C++ benchmarks": [FOLDER / "benchmark"],
            "Python tests": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", FOLDER / "test_basic.py"]}

# A domain has another number in each report. Texts are in the row, or in StringIds. A domain that is created twice has
# two rows in nsys's report and one in ours, so the rows that create domains (75) are compared by name only.
EVENTS = """
WITH domain AS (SELECT DISTINCT globalTid / 0x1000000 AS process, domainId, text FROM NVTX_EVENTS WHERE eventType = 75)
SELECT e.eventType, d.text, coalesce(e.text, s.value), e.category, e.color, e.end IS NULL,
  CASE e.eventType WHEN 75 THEN 1 ELSE count(*) END
FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
LEFT JOIN domain d ON d.domainId = e.domainId AND d.process = e.globalTid / 0x1000000
GROUP BY 1, 2, 3, 4, 5, 6"""


def rows(path):
    return {row[:-1]: row[-1] for row in Report(path).rows(EVENTS)}


def nvtx_repository():
    for title, command in COMMANDS.items():
        alone = run(command)
        ours, path = under_prof(command, "nvtx_repository", trace="nvtx")
        check(f"NVTX's {title}: status", alone[0] == ours[0], f"{alone[0]}, under prof {ours[0]}")
        mine = rows(path)
        show(f"NVTX's {title}: rows", sum(mine.values()))
        if NSYS:
            (_, _, error, _), theirs = under_nsys(command, "nvtx_repository", trace="nvtx")
            if not theirs.exists():
                show(f"NVTX's {title}: nsys makes no report", error.strip()[-300:])  # as with a domain without a name
                continue
            other = rows(theirs)
            different = sorted(set(mine.items()) ^ set(other.items()), key=str)
            check(f"NVTX's {title}: rows like nsys's", not different and mine, sum(mine.values()),
                  sum(other.values()) if not different else f"{len(different)} different: {different[:8]}")
