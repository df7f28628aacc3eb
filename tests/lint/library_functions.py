#!/usr/bin/env python3
"""The functions of NVIDIA's libraries, for injection/libraries/*.def.

cublas_products.def lists those that compute matrix products, and how their parameters are to be read.

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


def prototypes(headers, include, prefix):
    """(type, name, parameters) of each function with this prefix (a regular expression) that the headers declare."""
    text = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", "-I", str(include), "-"], check=True, text=True,
        input="".join(f"#include <{header}>\n" for header in headers), stdout=subprocess.PIPE).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\[\[.*?\]\]", " ", text)
    for type_, name, parameters in re.findall(
            rf"([\w\s*]*?[\s*])\b({prefix}\w*)\s*\(([^(){{}};]*(?:\([^()]*\)[^(){{}};]*)*)\)\s*;", text):
        words = type_.split()
        if words and words[-1] != "return" and not {"static", "inline", "typedef"} & set(words):
            yield " ".join(words), name, " ".join(parameters.split())


def declarations(library):
    """(type, name, parameters) of each function that the headers declare; none without headers."""
    prefix = PREFIX.get(library, library)
    for group in HEADERS[library]:
        if all((CUDA / header).exists() for header in group):
            yield from prototypes(group, CUDA, f"{prefix}[A-Z]")


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


def parameter_names(parameters):
    """The names of the parameters that are passed as integers or pointers."""
    passed = [each.strip() for each in parameters.split(",")]
    return [re.search(r"(\w+)(?:\[\])?$", each).group(1) for each in passed
            if "*" in each or "[" in each or not re.match(r"(float|double|cuComplex|cuDoubleComplex) ", each)]


def layouts():
    """{name: parameters} of the layouts in matrix_products.hpp."""
    text = (FOLDER / "matrix_products.hpp").read_text()
    found = re.findall(r"Positions (k\w+) =\s+positions\(\s*((?:\"[^\"]*\"\s*)+)\)", text)
    return {name: "".join(re.findall(r'"([^"]*)"', words)).split() for name, words in found}


# What the name of a product says of it, and of the types of its matrices.
PRODUCT_KINDS = [("gemm", "kGeneral"), ("gemv", "kVector"), ("symm|hemm", "kSymmetric"), ("syrkx|herkx", "kRankKx"),
                 ("syrk|herk", "kRankK"), ("syr2k|her2k", "kRank2K"), ("trmm", "kTriangular"), ("trsm", "kSolve")]
PRODUCT_TYPES = {"S": ("kR32F",) * 2, "D": ("kR64F",) * 2, "C": ("kC32F",) * 2, "Z": ("kC64F",) * 2,
                 "H": ("kR16F",) * 2, "HSH": ("kR16F",) * 2, "HSS": ("kR16F", "kR32F"),
                 "TST": ("kR16BF",) * 2, "TSS": ("kR16BF", "kR32F")}
# Parameters that prof reads.
READ = {"transa", "transb", "trans", "side", "m", "n", "k", "batchCount", "Atype", "Btype", "Ctype", "computeType",
        "strideA", "strideB", "stridex"}
# Groups have their sizes in arrays, which are not read. cublasXt computes in other threads.
NO_PRODUCTS = re.compile(r"cublasXt|\w*Grouped|cublasUint8")


def layout_of(names):
    """The layout of a function with these parameters."""
    def places(words):
        return {word: i for i, word in enumerate(words) if word in READ}
    fitting = [layout for layout, words in layouts().items() if places(words) == places(names)
               and ("handle" in words) == ("handle" in names)]
    if len(fitting) != 1:
        raise ValueError(f"layouts {fitting} fit the parameters {names}")
    return fitting[0]


def products():
    """{name: (layout, kind, types)} of the matrix products that the headers declare."""
    found = {}
    for _, name, parameters in declarations("cublas"):
        kind = next((kind for words, kind in PRODUCT_KINDS if re.search(words, name, re.I)), None)
        if kind is None or NO_PRODUCTS.match(name):
            continue
        names = parameter_names(parameters)
        if "handle" not in names and kind != "kGeneral":  # of cublas.h, which few programs use
            continue
        prefix = re.match(r"cublas([A-Z]*)", name).group(1)
        types = ("kNoType",) * 2 if "Atype" in names else PRODUCT_TYPES[prefix]
        found[name] = (layout_of(names), kind, *types)
    return found


def listed_products():
    """The same from cublas_products.def, in its order."""
    text = (FOLDER / "cublas_products.def").read_text()
    return {name: tuple(rest.split(", ")) for name, rest in re.findall(r"^LIBRARY_PRODUCT\((\w+), (.*)\)$", text, re.M)}


def write_products():
    functions = {**listed_products(), **products()}
    lines = ["// Functions of cuBLAS that compute matrix products, by tests/lint/library_functions.py --write: parameters,",
             "// wire::ProductKind, types of the matrices and of the result."]
    lines += [f"LIBRARY_PRODUCT({name}, {', '.join(functions[name])})" for name in sorted(functions)]
    (FOLDER / "cublas_products.def").write_text("\n".join(lines) + "\n")


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
        if each == "cublas" and sys.argv[1:] == ["--write"]:
            write_products()
        most = max(((stack_words(p), n) for _, n, p in declarations(each)), default=None)
        print(each, len(declared(each)), "declared,", len(listed(each)), "listed, most words on the stack:", most)
