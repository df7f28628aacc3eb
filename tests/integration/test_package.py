"""The installed tree runs from any directory and needs only glibc. Packages are made of such trees."""
import os
import re
import subprocess
import sys
import time

import pytest
from profiling import BUILD, HAS_SANITIZER, PROF, SOURCE, Report


def test_installed_tree_is_relocatable(tmp_path):
    first, moved = tmp_path / "first", tmp_path / "moved"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", first], stdout=subprocess.DEVNULL,
                   check=True)
    assert (first / "share/doc/prof/docs/man/prof.md").exists() and (first / "share/doc/prof/README.md").exists()
    assert (first / "share/doc/prof/SECURITY.md").exists()  # README.md leads to it
    assert (first / "share/prof/skill/SKILL.md").read_text() == (SOURCE / "docs/skill/SKILL.md").read_text()
    schemas = {path.name for path in (SOURCE / "docs" / "schemas").iterdir()}
    assert {path.name for path in (first / "share/prof/schema").iterdir()} == schemas and "facts.json" in schemas
    first.rename(moved)
    said = subprocess.run([moved / "bin" / "prof", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert said.endswith(f" The file: {moved}/share/prof/skill/SKILL.md\n")
    report = tmp_path / "r.db"
    subprocess.run([moved / "bin" / "prof", "profile", "-t", "osrt", "-o", report, "sleep", "0.01"],
                   check=True, env={"PATH": "/usr/bin:/bin"}, cwd="/")
    assert Report(report).calls()["nanosleep"] == 1


def test_a_place_that_ld_preload_cannot_name_gets_a_link(tmp_path):
    """The link stays for programs that outlive the session."""
    place, report, runtime, late = (tmp_path / name for name in ("a blank: and colon", "r.db", "runtime", "late"))
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL,
                   check=True)
    runtime.mkdir(mode=0o700)
    os.mkfifo(tmp_path / "go")
    script = f'(read line <{tmp_path}/go; exec sh -c "echo done >&2" 2>{late}) & exec sleep 0.01'
    subprocess.run([place / "bin" / "prof", "profile", "--wait=primary", "-t", "osrt", "-o", report, "sh", "-c", script],
                   check=True, env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(runtime)})
    assert Report(report).calls()["nanosleep"] == 1
    link, = runtime.glob("prof-link-*/lib")
    assert link.resolve() == place / "lib/prof"
    (tmp_path / "go").write_text("go\n", encoding="ascii")
    while not (late.exists() and late.read_text().endswith("done\n")):
        time.sleep(0.01)
    assert late.read_text() == "done\n"


def test_a_missing_library_is_named(tmp_path):
    place = tmp_path / "alone"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL,
                   check=True)
    (place / "lib" / "prof" / "libprof_inject.so").unlink()
    done = subprocess.run([place / "bin" / "prof", "profile", "-o", tmp_path / "r.db", "true"],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "libprof_inject.so is missing" in done.stderr


def test_all_of_prof_is_in_one_library(tmp_path):
    """So a package has the code once. The command finds the library by its own place, also through a link."""
    place, link = tmp_path / "place", tmp_path / "another name"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", place], stdout=subprocess.DEVNULL, check=True)
    library = place / "lib/prof/libprof_report.so"
    assert HAS_SANITIZER or (place / "bin/prof").stat().st_size < library.stat().st_size / 10
    link.symlink_to(place / "bin/prof")
    for words, status in ((["--version"], 0), (["no-such-verb"], 2)):
        done = subprocess.run([link, *words], cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == status and (done.stdout or done.stderr).startswith("prof"), done
    library.write_text("damaged", encoding="ascii")
    done = subprocess.run([link, "--version"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(f"prof: {place}/bin/../lib/prof/libprof_report.so: "), done
    library.unlink()
    done = subprocess.run([link, "--version"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("prof: libprof_report.so cannot be read (No such file"), done


def test_manual_pages_convert(tmp_path):
    for page in (SOURCE / "docs" / "man").glob("*.md"):
        out = tmp_path / f"{page.stem}.1"
        subprocess.run(["go-md2man", "-in", page, "-out", out], check=True)
        text = out.read_text()
        assert text.startswith(".TH") or ".TH " in text
        assert ".SH NAME" in text.replace('"', "")


def test_the_tree_has_pages_and_completions(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path], stdout=subprocess.DEVNULL, check=True)
    pages = {path.stem for path in (SOURCE / "docs" / "man").glob("*.md")}
    assert {path.name for path in (tmp_path / "share/man/man1").iterdir()} == {f"{page}.1.gz" for page in pages}
    for script in ("bash-completion/completions/prof", "zsh/vendor-completions/_prof", "fish/vendor_completions.d/prof.fish"):
        assert "analyze" in (tmp_path / "share" / script).read_text()


@pytest.mark.skipif(HAS_SANITIZER, reason="sanitizers have libraries of their own")
@pytest.mark.skipif("PROF_SHARED_DW_LIBRARY" in (BUILD / "CMakeCache.txt").read_text(),
                    reason="elfutils is linked as a shared library, because its archives are incomplete here")
def test_what_binaries_need_is_checked(tmp_path):
    """A package may not need a newer glibc than it promises, nor other libraries."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path, "--strip"], stdout=subprocess.DEVNULL, check=True)
    check = [sys.executable, SOURCE / "packaging/binaries.py", tmp_path]
    subprocess.run([*check, "9.9"], check=True)
    done = subprocess.run([*check, "2.9"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert re.search(r"bin/prof: needs glibc 2\.\d+, which is newer than 2\.9$", done.stderr, re.M)
    assert re.search(r"libprof_inject\.so: needs glibc", done.stderr)


def test_stubs_have_what_an_old_glibc_had(tmp_path):
    stubs, source, program = tmp_path / "stubs", tmp_path / "a.c", tmp_path / "a"
    subprocess.run([sys.executable, SOURCE / "cmake/glibc/stubs.py", "2.27", stubs, "gcc"], check=True)

    def link(body):
        source.write_text(f"{body}\n", encoding="ascii")
        return subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-z,defs", f"-L{stubs}", "-o", program, source, "-lpthread"],
                              stderr=subprocess.PIPE, text=True, check=False)

    assert link("int pthread_create(void); void* memcpy(); void* f[] = {pthread_create, memcpy};").returncode == 0
    needs = subprocess.run(["readelf", "--wide", "-V", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"File: libpthread\.so\.0.*\n.*Name: GLIBC_2\.2\.5 ", needs)
    assert re.search(r"File: libc\.so\.6.*\n(.*Name: .*\n)*.*Name: GLIBC_2\.14 ", needs)
    assert "undefined reference to `gettid'" in link("int gettid(void); void* f = gettid;").stderr


def test_version_says_how_prof_was_built():
    short = subprocess.run([PROF, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.fullmatch(r"prof \d+\.\d+\.\d+\n", short)
    lines = subprocess.run([PROF, "--version", "--verbose"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert lines[0] + "\n" == short
    facts = dict(line.split(":", 1) for line in lines[1:])
    assert list(facts) == ["commit", "compiler", "build type", "CUDA headers", "glibc", "SQLite", "features"]
    assert re.fullmatch(r" +2\.\d+ or later; 2\.\d+ runs here", facts["glibc"])
    assert ("cuda" in facts["features"]) == (facts["CUDA headers"].strip() != "none")
