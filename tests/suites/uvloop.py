"""uvloop's own tests, from its source package, run with the wheel."""
import subprocess
import tarfile

from junit import environment_python, pytest_part

SKIPPED = {"test_sourcecode"}  # checks the format of uvloop's sources
EXPLAINED = {
    f"tests.test_process.Test_{loop}_Process.test_process_env_2":
        "prints the whole environment of a child that gets an empty one, into which --env-policy=repair puts prof's "
        "variables back; the same with --option=--env-policy=respect"
    for loop in ("UV", "AIO")}


def unpack(python, sources):
    """Fetches the source package of the installed version once; returns the folder that has only its tests, so
    that they import the installed uvloop and not the sources."""
    version = subprocess.run([python, "-c", "import uvloop; print(uvloop.__version__)"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout.strip()
    folder = sources / f"uvloop-{version}-tests"
    if not folder.exists():
        with open(sources / "uvloop.log", "wb") as log:
            subprocess.run([python, "-m", "pip", "download", "--no-deps", "--no-binary", "uvloop", "-d", sources,
                            f"uvloop=={version}"], stdout=log, stderr=log, check=True)
        with tarfile.open(sources / f"uvloop-{version}.tar.gz") as archive:
            archive.extractall(folder, [member for member in archive if "/tests/" in member.name])
    return folder / f"uvloop-{version}"


def parts(arguments):
    python = environment_python(arguments)
    folder = unpack(python, arguments.sources)
    return [pytest_part(path.stem, python, ["-s", f"tests/{path.name}"], directory=folder)
            for path in sorted(folder.glob("tests/test_*.py")) if path.stem not in SKIPPED]
