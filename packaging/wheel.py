#!/usr/bin/env python3
"""Makes a wheel of an installed tree: wheel.py TREE VERSION OUTPUT [EPOCH]. Prints its path.

The command goes where commands go and looks for its libraries in ../libexec/prof, which the wheel installs too, under
the prefix of the Python. (`pip install --target` leaves out the folder lib of a wheel's data.) Only the Python package
goes to the other packages. The same tree gives the same bytes.
"""
import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

from binaries import OLDEST_GLIBC, newest_glibc, number, processor_of

NAME = "prof_profiler"
METADATA = """\
Metadata-Version: 2.1
Name: prof-profiler
Version: {version}
Summary: System profiler for Linux and NVIDIA GPUs, with nsys's options and SQLite reports
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Provides-Extra: arrow
Requires-Dist: pyarrow>=14; extra == "arrow"
Provides-Extra: pandas
Requires-Dist: pyarrow>=14; extra == "pandas"
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: polars
Requires-Dist: pyarrow>=14; extra == "polars"
Requires-Dist: polars; extra == "polars"
Provides-Extra: hdf
Requires-Dist: pyarrow>=14; extra == "hdf"
Requires-Dist: h5py; extra == "hdf"
Description-Content-Type: text/markdown

{description}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: prof
Root-Is-Purelib: false
Tag: {tag}
"""


def tag_of(tree):
    """prof promises glibc 2.28. A build for this machine alone may need a newer one."""
    glibc = max(OLDEST_GLIBC, newest_glibc(tree), key=number)
    return f"py3-none-manylinux_{glibc.replace('.', '_')}_{processor_of(tree)}"


def contents(tree, version):
    """{name in the wheel: file of the tree}"""
    data, found = f"{NAME}-{version}.data", {}
    for path in sorted(tree.rglob("*")):
        inside = path.relative_to(tree).as_posix()
        if not path.is_file() or inside.startswith(("include/", "share/doc/")):
            continue
        if inside.startswith("lib/prof/python/"):
            found[inside[len("lib/prof/python/"):]] = path
        elif inside.startswith("bin/"):
            found[f"{data}/scripts/{path.name}"] = path
        else:
            found[f"{data}/data/{inside.replace('lib/prof/', 'libexec/prof/')}"] = path
    return found


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def write(path, files, epoch):
    """`files`: {name: (content, is a program)}. The last one is the list of the others."""
    info = next(name.split("/")[0] for name in files if ".dist-info/" in name)
    record = "".join(f"{name},{digest(content)},{len(content)}\n" for name, (content, _) in files.items())
    files = files | {f"{info}/RECORD": ((record + f"{info}/RECORD,,\n").encode(), False)}
    moment = time.gmtime(max(epoch, 315532800))[:6]  # a zip file knows no time before 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, is_program) in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content)


def main():
    tree, version, output = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    epoch = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    tag, info = tag_of(tree), f"{NAME}-{version}.dist-info"
    description = (Path(__file__).parent / "wheel.md").read_text(encoding="utf-8")
    files = {name: (path.read_bytes(), "/scripts/" in name) for name, path in contents(tree, version).items()}
    for name in ("LICENSE", "LICENSES-OF-LIBRARIES"):
        if (text := tree / "share/doc/prof" / name).exists():
            files[f"{info}/{name}"] = (text.read_bytes(), False)
    files[f"{info}/METADATA"] = (METADATA.format(version=version, description=description).encode(), False)
    files[f"{info}/WHEEL"] = (WHEEL.format(tag=tag).encode(), False)
    path = output / f"{NAME}-{version}-{tag}.whl"
    write(path, files, epoch)
    print(path)


if __name__ == "__main__":
    main()
