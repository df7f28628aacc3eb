"""prof's wheel installs into environments of several Pythons, and works there."""
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from arrow_tables import needs_package
from profiling import BUILD, SOURCE, Report, profile, program

pytestmark = needs_package


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("own"), program("nvtx_zoo"), defaults=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """prof's wheel, as ./dev package makes it, but of this build, which may need a newer glibc."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(["cmake", "--install", BUILD, "--strip", "--prefix", folder / "tree"], stdout=subprocess.DEVNULL, check=True)
    make = [sys.executable, SOURCE / "packaging/wheel.py", folder / "tree", "0.1.0", folder, "1700000000"]
    made = Path(subprocess.run(make, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    first = made.read_bytes()
    subprocess.run(make, stdout=subprocess.DEVNULL, check=True)
    assert made.read_bytes() == first
    return made


def test_the_wheel_needs_what_its_name_says(wheel, tmp_path):
    name = re.fullmatch(r"prof_profiler-[\d.]+-py3-none-manylinux_2_(\d+)_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    versions = [int(each) for path in (*tmp_path.rglob("scripts/prof"), *tmp_path.rglob("*.so"))
                for each in re.findall(r"GLIBC_2\.(\d+)", subprocess.run(
                    ["objdump", "-T", path], stdout=subprocess.PIPE, text=True, check=True).stdout)]
    assert max(28, *versions) >= int(name.group(1)) >= 28


def interpreters():
    """The oldest and the newest Python that are here and that the package supports, and this one."""
    found = {}
    for minor in range(8, 15):
        for path in (Path(f"/usr/bin/python3.{minor}"), *Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")):
            if path.exists():
                found.setdefault(f"3.{minor}", path)
    ends = [*found][:1] + [*found][-1:]
    return {name: found[name] for name in ends} | {f"3.{sys.version_info.minor}": sys.executable}


@pytest.mark.parametrize("version", interpreters())
def test_the_wheel_installs_into_a_fresh_environment(wheel, own, tmp_path, version):
    interpreter, python = interpreters()[version], tmp_path / "venv/bin/python"
    # Debian's Python has its pip in another package. An old pip does not work for a newer Python.
    has_pip = subprocess.run([interpreter, "-m", "ensurepip", "--version"], capture_output=True, check=False).returncode == 0
    subprocess.run([interpreter, "-m", "venv", *([] if has_pip else ["--without-pip"]), tmp_path / "venv"], check=True)
    pip = [python, "-m", "pip"] if has_pip else ["/usr/bin/python3", "-m", "pip", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", wheel], check=True)
    code = f"import prof_control, prof_report as pr; assert not prof_control.start(); r = pr.open({str(own.path)!r}); print(r.table('OSRT_API')); r['OSRT_API'].arrow()"
    done = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          cwd=tmp_path)
    assert done.stdout == "<prof_report.Table OSRT_API>\n"
    assert re.fullmatch(r"ImportError: arrow\(\) needs the package pyarrow, which (\S+/python\S*) does not have: "
                        r"\1 -m pip install pyarrow", done.stderr.splitlines()[-1])
    report, files = tmp_path / "r.db", lambda: {path for path in (tmp_path / "venv").rglob("*") if "__pycache__" not in path.parts}
    subprocess.run([tmp_path / "venv/bin/prof", "profile", "-t", "osrt", "-o", report, "sleep", "0.01"], check=True)
    assert Report(report).calls()["nanosleep"] == 1
    # The package that the wheel has is found, with its Python.
    export = subprocess.run([tmp_path / "venv/bin/prof", "export", "-t", "parquetdir", report], stderr=subprocess.PIPE,
                            text=True, check=False)
    assert export.returncode != 0 and "pip install pyarrow" in export.stderr
    assert (tmp_path / "venv/libexec/prof/libprof_inject.so").exists()
    assert (tmp_path / "venv/share/prof/skill/SKILL.md").exists()
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", "prof-profiler"], check=True)
    assert not [path for path in files() if "prof" in path.name and path.is_file() and "profile" not in path.name]


def test_the_wheel_installs_into_a_folder(wheel, own, tmp_path):
    """pip install --target, as services of notebooks and functions do."""
    has_pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    subprocess.run([sys.executable if has_pip else "/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                    "--disable-pip-version-check", "--target", tmp_path / "here", wheel], check=True)
    code = f"import prof_report as pr; print(repr(pr.open({str(own.path)!r}).table('OSRT_API')))"
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env={"PYTHONPATH": tmp_path / "here"})
    assert found.stdout == "<prof_report.Table OSRT_API>\n"
    said = subprocess.run([tmp_path / "here/bin/prof", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert said.endswith(f" The file: {tmp_path}/here/share/prof/skill/SKILL.md\n")
    report = tmp_path / "r.db"
    subprocess.run([tmp_path / "here/bin/prof", "profile", "-t", "osrt", "-o", report, "sleep", "0.01"], check=True)
    assert Report(report).calls()["nanosleep"] == 1
    export = subprocess.run([tmp_path / "here/bin/prof", "export", "-t", "parquetdir", report], stderr=subprocess.PIPE, text=True,
                            check=False, env={"PATH": "/usr/bin:/bin"})
    assert export.returncode == 0 or "pip install pyarrow" in export.stderr
