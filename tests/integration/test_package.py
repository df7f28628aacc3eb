"""The installed tree runs from any directory and needs only glibc."""
import subprocess

from profiling import BUILD, SOURCE, Report


def test_installed_tree_is_relocatable(tmp_path):
    first, moved = tmp_path / "first", tmp_path / "moved"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", first], stdout=subprocess.DEVNULL,
                   check=True)
    assert (first / "share/doc/prof/docs/man/prof.md").exists() and (first / "share/doc/prof/README.md").exists()
    first.rename(moved)
    report = tmp_path / "r.db"
    subprocess.run([moved / "bin" / "prof", "profile", "-t", "osrt", "-o", report, "sleep", "0.01"],
                   check=True, env={"PATH": "/usr/bin:/bin"}, cwd="/")
    assert Report(report).calls()["nanosleep"] == 1


def test_a_place_that_ld_preload_cannot_name_is_refused(tmp_path):
    place = tmp_path / "with blank"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL,
                   check=True)
    done = subprocess.run([place / "bin" / "prof", "profile", "-o", tmp_path / "r.db", "true"],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "move prof" in done.stderr


def test_a_missing_library_is_named(tmp_path):
    place = tmp_path / "alone"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL,
                   check=True)
    (place / "lib" / "prof" / "libprof_inject.so").unlink()
    done = subprocess.run([place / "bin" / "prof", "profile", "-o", tmp_path / "r.db", "true"],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "libprof_inject.so is missing" in done.stderr


def test_manual_pages_convert(tmp_path):
    for page in (SOURCE / "docs" / "man").glob("*.md"):
        out = tmp_path / f"{page.stem}.1"
        subprocess.run(["go-md2man", "-in", page, "-out", out], check=True)
        text = out.read_text()
        assert text.startswith(".TH") or ".TH " in text
        assert ".SH NAME" in text.replace('"', "")
