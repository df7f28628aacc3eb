"""Statements that try to harm who runs them with `prof query`. `hostile_queries.py REPORT [COUNT]` runs many of them under
strace, and says what went wrong: files that were opened or changed, long times, much memory."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
REFUSED = [
    "ATTACH '{other}' AS x", "ATTACH DATABASE '{other}' AS main2", "DETACH main", "VACUUM", "VACUUM INTO '{other}'",
    "DELETE FROM StringIds", "INSERT INTO StringIds VALUES (99999, 'x')", "REPLACE INTO StringIds VALUES (1, 'x')",
    "UPDATE StringIds SET value = 'x'", "DROP TABLE StringIds", "DROP VIEW kernels", "ALTER TABLE StringIds RENAME TO x",
    "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "CREATE TEMP VIEW x AS SELECT 1", "CREATE INDEX x ON StringIds (value)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(y)", "CREATE TRIGGER x AFTER INSERT ON StringIds BEGIN SELECT 1; END",
    "WITH x AS (SELECT 1) DELETE FROM StringIds", "BEGIN", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT x", "ANALYZE",
    "REINDEX", "EXPLAIN DELETE FROM StringIds", "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = 1",
    "PRAGMA temp_store_directory = '/'", "PRAGMA mmap_size = 1000000000000", "PRAGMA cache_size = -100000000",
    "PRAGMA hard_heap_limit = 0", "PRAGMA integrity_check", "PRAGMA database_list", "PRAGMA temp_store = FILE",
    "SELECT * FROM pragma_integrity_check", "SELECT * FROM pragma_database_list", "SELECT load_extension('{other}')",
    "SELECT readfile('/etc/passwd')", "SELECT writefile('{other}', 'x')", "SELECT edit('x', 'sh')", "SELECT fts3_tokenizer('simple')",
    "SELECT sqlite_compileoption_get(1)", "SELECT randomblob(900000)", "SELECT zeroblob(1000000000)", "SELECT zeroblob(1e9)",
    "SELECT hex(zeroblob(900000))", "SELECT replace(printf('%.*c', 900000, 'x'), 'x', 'yyyyyyyyyy')",
    "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM StringIds", "SELECT 1;;; ATTACH '{other}' AS x", "-- nothing", "/* nothing", "",
    "SELECT 'a", "SELECT \"a", "SELECT 1 /* */ ; /* */ DROP TABLE StringIds --", "SELECT " + "(" * 500 + "1" + ")" * 500,
    "SELECT " + "-" * 300 + "1", "SELECT " + " + ".join("1" * 500), " UNION ALL ".join(["SELECT 1"] * 200),
    "SELECT " + ", ".join("1" * 2000), "SELECT 1 IN (" + ", ".join("1" * 4000) + ")", "SELECT '" + "x" * 1_000_000 + "'",
    "SELECT 'x' LIKE '" + "%a" * 200 + "'", "SELECT 'x' GLOB '" + "*a" * 200 + "'", "SELECT 'x' REGEXP '(a+)+b'", "SELECT 'x' MATCH 'x'",
    "SELECT max(" + ", ".join("1" * 120) + ")", "SELECT ?1000000", "SELECT * FROM sqlite_dbpage", "SELECT * FROM nowhere", "\x01\x02"]
BOMBS = [
    "SELECT printf('%1000000000d', 1)", "SELECT printf('%.*c', 1000000000, 'x')", "SELECT printf('%.1000000000f', 1)",
    "SELECT printf('" + "%.*c" * 20 + "'" + ", 2000000000, 'x'" * 20 + ")",
    ENDLESS + "count(*) FROM n", ENDLESS + "group_concat(i) FROM n", ENDLESS + "json_group_array(i) FROM n",
    ENDLESS + "i FROM n ORDER BY i DESC", ENDLESS + "DISTINCT i FROM n WHERE i < 0", ENDLESS + "i FROM n WHERE i % 7 = 9",
    "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) SELECT max(length(t)) FROM n",
    "WITH RECURSIVE n(t) AS (SELECT printf('%.*c', 500000, 'x') UNION ALL SELECT t FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(i, t) AS (SELECT 1, 'x' UNION SELECT i + 1, printf('%.*c', 900000, 'x') || i FROM n) SELECT count(*) FROM n",
    "SELECT count(*) FROM StringIds a, StringIds b, StringIds c, StringIds d, StringIds e, StringIds f, StringIds g, StringIds h",
    "SELECT a.value FROM StringIds a, StringIds b, StringIds c, StringIds d, StringIds e, StringIds f ORDER BY b.value || f.value",
    ENDLESS + "count(*) FROM n WHERE printf('%.*c', 90000, 'a') LIKE '" + "%a" * 45 + "b'",
    ENDLESS + "count(*) FROM n WHERE printf('%.*c', 90000, 'a') GLOB '" + "*a" * 45 + "b'",
    ENDLESS + "count(*) FROM n WHERE instr(printf('%.*c', 900000, 'a'), printf('%.*c', 450000, 'a') || 'b')",
    ENDLESS + "count(*) FROM n WHERE trim(printf('%.*c', 900000, 'a'), printf('%.*c', 900000, 'b') || 'a') = ''",
    ENDLESS + "sum(length(replace(printf('%.*c', 900000, 'a'), 'a', 'b'))) FROM n",
    "SELECT json_extract(printf('%.*c', 400000, '[') || printf('%.*c', 400000, ']'), '$[0][0]')",
    "SELECT count(*) FROM json_tree('[' || substr(replace(printf('%.*c', 300000, 'x'), 'x', ',1'), 2) || ']') a, StringIds, StringIds"]


def generated(count, other, seed=1):
    """Statements made of those above: with comments, blanks, other letters, as parts of others."""
    choose = random.Random(seed)
    wraps = ["{}", "{};", "/* x */ {}", "-- x\n{}", "{} --", "EXPLAIN {}", "EXPLAIN QUERY PLAN {}", "SELECT * FROM ({})", "SELECT ({})",
             "WITH q AS ({}) SELECT * FROM q, q", "{} LIMIT 5", "{}; SELECT 1", "SELECT 1 WHERE EXISTS ({})", "SELECT 1 UNION ALL {}",
             "\t\n {}", "SELECT count(*) FROM ({})", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r) SELECT ({}) FROM r"]
    for _ in range(count):
        text = choose.choice(REFUSED + BOMBS).replace("{other}", str(other))
        for _ in range(choose.randint(0, 2)):
            text = choose.choice(wraps).replace("{}", text)
        if choose.random() < 0.1:
            text = "".join(choose.choice((each.lower(), each.upper())) for each in text)
        if choose.random() < 0.1 and text:
            at = choose.randrange(len(text))
            text = text[:at] + choose.choice(["'", '"', "(", ";", "%", "\\", "--", "/*", "é"]) + text[at + 1:]
        yield text


def main():
    report, count = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    prof = Path(os.environ.get("PROF_BUILD", "build/release")).resolve() / "bin" / "prof"
    before, statuses, bad, longest, largest = report.read_bytes(), {}, [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        for number, sql in enumerate(generated(count, Path(folder) / "other.db")):
            words = [str(prof), "query", str(report), "-f", "json", "--", sql[:100_000]]
            start = time.monotonic()
            child = subprocess.Popen(["strace", "-f", "-qq", "-e", "trace=open,openat,creat,unlink,rename,execve,socket", "-o", str(trace),
                                      *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            took, size = time.monotonic() - start, usage.ru_maxrss // 1024
            statuses[status >> 8 or -(status & 127)] = statuses.get(status >> 8 or -(status & 127), 0) + 1
            longest, largest = max(longest, took), max(largest, size)
            text = trace.read_text(errors="replace") if trace.exists() else ""
            opened = [line for line in text.splitlines() if re.search(r"\b(open|openat|creat|unlink|rename|socket)\(", line)
                      and "execve(" not in line]
            others = [line for line in opened if re.search(r"other|etilqs|passwd|socket\(|unlink|rename", line)]
            writes = [line for line in opened if re.search(r"O_(WRONLY|RDWR|CREAT)", line)]
            if took > 5.5 or size > 300 or others or writes or status & 127 or status >> 8 not in (0, 1, 2):
                bad.append((number, sql[:120], took, size, status, others, writes))
        left = [each for each in os.listdir(folder) if each != "trace"]
    print(f"{count} statements, statuses {statuses}, longest {longest:.2f} s, largest {largest} MB, files left {left}, "
          f"report {'unchanged' if report.read_bytes() == before else 'CHANGED'}, bad {len(bad)}")
    for each in bad[:20]:
        print(each)


if __name__ == "__main__":
    main()
