"""docs/schema.md lists the tables as their definitions have them."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLES = [sys.executable, "-B", ROOT / "common/report/tables.py", "--docs"]
SCHEMA = sorted((ROOT / "common/report/schema").glob("*.sql"))


def test_the_list_in_the_docs():
    done = subprocess.run([*TABLES, ROOT / "docs/schema.md", "--check", *SCHEMA], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_another_list_is_found(tmp_path):
    document = tmp_path / "schema.md"
    document.write_text((ROOT / "docs/schema.md").read_text().replace("| `OSRT_API` | OS-runtime", "| `OSRT_API` | other"))
    done = subprocess.run([*TABLES, document, "--check", *SCHEMA], capture_output=True, text=True)
    assert done.returncode != 0 and "--docs" in done.stderr
