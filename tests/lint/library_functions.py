#!/usr/bin/env python3
"""The functions of NVIDIA's libraries, for injection/libraries/*.def.

With --write: adds what the installed headers declare to the lists. Names of other versions stay in the
lists, because programs may be linked to those versions: cuDNN 8, cuSPARSE before CUDA 12, and cuSOLVER's
64-bit functions before their names had an X (from the version tables of ROCm's HIPIFY).
"""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "injection" / "libraries"
CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"

# Headers of a library. Headers that cannot be included together are in separate lists.
HEADERS = {
    "cublas": [["cublas.h"], ["cublas_v2.h", "cublasLt.h", "cublasXt.h"]],
    "cudnn": [["cudnn.h"]],
    "cusolver": [["cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h",
                  "cusolverSp_LOWLEVEL_PREVIEW.h"]],
    "cusparse": [["cusparse.h"]],
    "nccl": [["nccl.h"], ["nccl_device.h"]],
}
PREFIX = {"nccl": "p?nccl"}
# 8-byte words of parameters that are passed by value and need more than one word.
WIDE = {"cuDoubleComplex": 2, "ncclTeam_t": 2, "ncclUniqueId": 16}


def declarations(library):
    """(type, name, parameters) of each function that the headers declare; none without headers."""
    prefix = PREFIX.get(library, library)
    for group in HEADERS[library]:
        if not all((CUDA / header).exists() for header in group):
            continue
        text = subprocess.run(
            ["g++", "-E", "-P", "-x", "c++", "-I", str(CUDA), "-"], check=True, text=True,
            input="".join(f"#include <{header}>\n" for header in group), stdout=subprocess.PIPE).stdout
        text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\[\[.*?\]\]", " ", text)
        for type_, name, parameters in re.findall(
                rf"([\w\s*]*?[\s*])\b({prefix}[A-Z]\w*)\s*\(([^(){{}};]*(?:\([^()]*\)[^(){{}};]*)*)\)\s*;", text):
            words = type_.split()
            if words and words[-1] != "return" and not {"static", "inline", "typedef"} & set(words):
                yield " ".join(words), name, " ".join(parameters.split())


def kind(type_):
    """The kind of a return value. It decides what a call returns if its function is missing."""
    type_ = re.sub(r"extern|\"C\"|\bC\b|inline", "", type_).strip()
    if type_.endswith("*"):
        return "TEXT" if "char" in type_ else "VALUE"
    return "STATUS" if re.search(r"Status_t$|Result_t$", type_) else "VALUE"


def stack_words(parameters):
    """Upper limit of a call's words on the stack, as if every parameter were an integer."""
    if parameters in ("", "void"):
        return 0
    words = []
    for parameter in re.sub(r"\([^()]*\)", "", parameters).split(","):
        wide = [count for name, count in WIDE.items() if re.search(rf"\b{name}\b", parameter)]
        words.append(wide[0] if wide and "*" not in parameter and "[" not in parameter else 1)
    in_registers = min(6, sum(count for count in words if count <= 2))
    return sum(words) - in_registers


def declared(library):
    """{name: kind}"""
    return {name: kind(type_) for type_, name, _ in declarations(library)}


def listed(library):
    """{name: kind} of injection/libraries/LIBRARY.def, in its order."""
    path = FOLDER / f"{library}.def"
    return {name: kind_ for kind_, name in
            re.findall(r"^LIBRARY_(\w+)\((\w+)\)$", path.read_text() if path.exists() else "", re.M)}


def write(library):
    """Adds what the headers declare."""
    functions = {**listed(library), **declared(library)}
    title = {"cublas": "cuBLAS, cuBLASLt and cuBLASXt", "cudnn": "cuDNN", "nccl": "NCCL",
             "cusolver": "cuSOLVER", "cusparse": "cuSPARSE"}[library]
    lines = [f"// Public functions of {title}, by tests/lint/library_functions.py --write. What they return:",
             "// LIBRARY_STATUS: the library's status; LIBRARY_TEXT: a string; LIBRARY_VALUE: anything else."]
    lines += [f"LIBRARY_{functions[name]}({name})" for name in sorted(functions)]
    (FOLDER / f"{library}.def").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for each in HEADERS:
        if sys.argv[1:] == ["--write"]:
            write(each)
        most = max(((stack_words(p), n) for _, n, p in declarations(each)), default=None)
        print(each, len(declared(each)), "declared,", len(listed(each)), "listed, most words on the stack:", most)
