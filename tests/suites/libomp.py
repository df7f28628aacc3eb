"""The tests of LLVM's OpenMP runtime. Those in ompt bring tools, beside which prof stays out; prof records
the others. FileCheck compares what they print."""
import re
import shutil

import programs
import sources

VERSION = "14.0.6"
ARCHIVE = f"l/llvm-toolchain-14/llvm-toolchain-14_{VERSION}.orig.tar.xz"
SHA256 = "d9bce5f42381d781e273c724db1ab0acd66259bf2782b79891664dbf1953d22c"
TRACE = "openmp"
LLVM = "/usr/lib/llvm-14"
EXPLAINED = {}


def unpacked(into):
    folder = into / f"llvm-toolchain-14_{VERSION}" / "openmp" / "runtime" / "test"
    if not folder.exists():
        sources.unpack(ARCHIVE, SHA256, into)
    return folder


def compilers():
    """Those for C and C++, of one version."""
    return next((c, cxx) for c, cxx in ((shutil.which(f"clang{suffix}"), shutil.which(f"clang++{suffix}"))
                                        for suffix in ("", "-14", "-16")) if c and cxx)


def substitutions(tests, test):
    """lit's words, longest first."""
    flags = f"-fopenmp -I {tests} -I {tests}/ompt -I {LLVM}/lib/clang/{VERSION}/include -L {LLVM}/lib " \
            "-Wno-everything"
    clang, clangxx = compilers()
    return [("%libomp-compile-and-run", "%libomp-compile && %libomp-run"),
            ("%libomp-c99-compile-and-run", "%libomp-c99-compile && %libomp-run"),
            ("%libomp-cxx-compile-and-run", "%libomp-cxx-compile && %libomp-run"),
            ("%libomp-cxx-compile-c", f"{clangxx} {flags} -std=c++14 -x c++ %s -o %t -lm -latomic"),
            ("%libomp-cxx-compile", f"{clangxx} {flags} -std=c++14 %s -o %t -lm -latomic"),
            ("%libomp-c99-compile", f"{clang} {flags} -std=c99 %s -o %t -lm -latomic"),
            ("%libomp-compile", f"{clang} {flags} %s -o %t -lm -latomic"),
            ("%libomp-run", "%t"), ("%clangXX", clangxx), ("%clang", clang), ("%openmp_flags", ""),
            ("%flags-use-compiler-omp-h", flags), ("%flags", flags), ("%python", "python3"),
            ("%not", f"{LLVM}/bin/not"), ("%sort-threads", "sort -n -s"), ("%no-as-needed-flag", "-Wl,--no-as-needed"),
            ("%preload-tool", "env LD_PRELOAD=%T/tool.so${LD_PRELOAD:+:$LD_PRELOAD}"),
            ("FileCheck", f"{LLVM}/bin/FileCheck"),
            ("%s", str(test)), ("%S", str(test.parent)), ("%t", "$PWD/test"), ("%T", "$PWD")]


def program(tests, test):
    """Null if the test is not meant for this system."""
    text = test.read_text(errors="replace")
    if re.search(r"(REQUIRES|UNSUPPORTED|XFAIL):.*(darwin|windows|affinity|\*)", text):
        return None
    script = "set -o pipefail\n" + "\n".join(re.findall(r"RUN:(.*)", text))
    for word, value in substitutions(tests, test):
        script = re.sub(re.escape(word) + r"(?![\w-])", lambda _, value=value: value, script)
    return programs.Program(str(test.relative_to(tests)), ["bash", "-c", script]) if "RUN:" in text else None


def parts(arguments):
    tests = unpacked(arguments.sources)
    folders = sorted(path for path in tests.iterdir() if path.is_dir())
    result = []
    for folder in folders:
        found = [program(tests, test) for test in sorted([*folder.rglob("*.c"), *folder.rglob("*.cpp")])]
        if any(found):
            result.append(programs.part(f"libomp-{folder.name}", [one for one in found if one],
                                        arguments.sources / "lists"))
    return result
