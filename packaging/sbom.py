"""The software bill of materials of a release: what is in prof's binaries, as an SPDX 2.3 document.

Everything but glibc is linked statically. Which library it was and in which version is read from the CMake cache of the
build and from the packages of the distribution that own its files. What cannot be found out is left out, never guessed.
"""
import gzip
import hashlib
import os
import re
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

# The build of ./dev package, and the root of the distribution that has its libraries.
BUILDS = {"x86_64": ("build/package", "/"), "aarch64": ("build/package-aarch64", "build/aarch64-root")}
GCC_RUNTIME = "GCC's runtime library"
CUDA_LICENCE = "LicenseRef-NVIDIA-CUDA"
XZ_LICENCE = "LicenseRef-XZ-public-domain"
OTHER_LICENCES = {
    CUDA_LICENCE: "The licence agreement of NVIDIA's CUDA toolkit.",
    XZ_LICENCE: "liblzma is in the public domain, up to XZ Utils 5.4.",
}


@dataclass(frozen=True)
class Library:
    """`finds`: the words by which cmake/Dependencies.cmake finds it. `variable`: the variable of the CMake cache that
    has its path, `file`: what has to be appended to that. `package`: its package in Debian and Ubuntu."""
    name: str
    licence: str
    homepage: str
    finds: tuple
    variable: str
    package: str
    file: str = ""


LIBRARIES = [
    Library("SQLite", "blessing", "https://www.sqlite.org/", ("libsqlite3.a", "sqlite3.h"), "PROF_SQLITE_LIBRARY",
            "libsqlite3-dev"),
    Library("elfutils (libdw)", "GPL-2.0-or-later OR LGPL-3.0-or-later", "https://sourceware.org/elfutils/",
            ("libdw.a", "elfutils/libdw.h"), "PROF_DW_LIBRARY", "libdw-dev"),
    Library("elfutils (libelf)", "GPL-2.0-or-later OR LGPL-3.0-or-later", "https://sourceware.org/elfutils/",
            ("libelf.a",), "PROF_ELF_LIBRARY", "libelf-dev"),
    Library("zlib", "Zlib", "https://zlib.net/", ("libz.a", "zlib.h"), "PROF_Z_LIBRARY", "zlib1g-dev"),
    Library("Zstandard", "BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd/", ("libzstd.a",),
            "PROF_zstd_LIBRARY", "libzstd-dev"),
    Library("XZ Utils (liblzma)", XZ_LICENCE, "https://tukaani.org/xz/", ("liblzma.a",), "PROF_LZMA_LIBRARY",
            "liblzma-dev"),
    Library("libiberty", "LGPL-2.0-or-later AND GPL-2.0-or-later WITH GCC-exception-2.0", "https://gcc.gnu.org/",
            ("libiberty.a",), "PROF_IBERTY_LIBRARY", "libiberty-dev"),
    Library("fmt", "MIT", "https://fmt.dev/", ("fmt",), "fmt_DIR", "libfmt-dev"),
    Library("spdlog", "MIT", "https://github.com/gabime/spdlog", ("spdlog",), "spdlog_DIR", "libspdlog-dev"),
    Library("JSON for Modern C++", "MIT", "https://json.nlohmann.me/", ("nlohmann_json",), "nlohmann_json_DIR",
            "nlohmann-json3-dev"),
    Library("CLI11", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11", ("CLI11",), "CLI11_DIR", "libcli11-dev"),
    Library("tl::expected", "CC0-1.0", "https://github.com/TartanLlama/expected", ("tl-expected",), "tl-expected_DIR",
            "libexpected-dev"),
    Library("protozero", "BSD-2-Clause AND Apache-2.0", "https://github.com/mapbox/protozero",
            ("protozero/pbf_writer.hpp",), "PROF_PROTOZERO_INCLUDE", "libprotozero-dev", "/protozero/pbf_writer.hpp"),
    Library("Boost", "BSL-1.0", "https://www.boost.org/", ("Boost",), "Boost_DIR", "libboost-dev"),
    # Types and numbers of its headers only.
    Library("Vulkan headers", "Apache-2.0 OR MIT", "https://github.com/KhronosGroup/Vulkan-Headers",
            ("vulkan/vk_layer.h",), "PROF_VULKAN_INCLUDE", "libvulkan-dev", "/vulkan/vk_layer.h"),
    # libstdc++ and libgcc come with the compiler: its version is theirs.
    Library(GCC_RUNTIME, "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/", (), "", ""),
    # Types and numbers of its headers only. Its libraries are the program's.
    Library("NVIDIA CUDA headers", CUDA_LICENCE, "https://developer.nvidia.com/cuda-toolkit", ("cupti.h",),
            "PROF_CUDA_INCLUDE", "", "/cuda.h"),
]
# Nothing of these is in a binary: pkg-config, and threads, which are glibc's.
NOT_LINKED = {"PkgConfig", "Threads"}


def found_by_cmake(text):
    """The libraries that the text of cmake/Dependencies.cmake looks for, as in Library.finds."""
    text = re.sub(r"#.*", "", text)
    names = set(re.findall(r"find_package\(\s*([\w-]+)", text)) - NOT_LINKED
    for loop, words, body in re.findall(r"foreach\((\w+) ([^)]*)\)(.*?)endforeach", text, re.S):
        for word in words.split():
            names |= set(re.findall(r"NAMES (\S+\.a)\b", body.replace(f"${{{loop}}}", word)))
    names |= set(re.findall(r"find_library\(\s*\w+ NAMES (lib[\w-]+\.a)\b", text))
    return names | set(re.findall(r"find_path\(\s*\w+ ([^\s)]+)", text))


def cache_of(build):
    """The variables of a CMake cache; {} if there is no build."""
    try:
        text = (build / "CMakeCache.txt").read_text(errors="replace")
    except OSError:
        return {}
    return dict(re.findall(r"^([\w-]+):[A-Z]+=(.*)$", text, re.M))


def compiler_version(build):
    """The version of GCC; nothing if the build has another compiler."""
    for file in build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"):
        facts = dict(re.findall(r'^set\((CMAKE_CXX_COMPILER_\w+) "(.*)"\)$', file.read_text(), re.M))
        if facts.get("CMAKE_CXX_COMPILER_ID") == "GNU":
            return facts.get("CMAKE_CXX_COMPILER_VERSION", "")
    return ""


def output_of(*command):
    """What a command prints, or nothing if it fails or is not installed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def installed_package(root, path, package):
    """(name, version) of the distribution's package that has the file `path`, or None."""
    inside = "/" + os.path.relpath(path, root)
    database = f"--admindir={root}/var/lib/dpkg"
    owner = output_of("dpkg-query", database, "-S", inside).partition(": ")[0].split(", ")[0]
    version = owner and output_of("dpkg-query", database, "-W", "-f", "${Version}", owner)
    if version:
        return owner.partition(":")[0], version
    # mmdebstrap unpacks packages into the arm64 root without noting them in dpkg's database.
    changes = Path(root) / "usr/share/doc" / package / "changelog.Debian.gz"
    if package and str(root) != "/" and inside.startswith("/usr/") and changes.exists():
        with gzip.open(changes, "rt", errors="replace") as lines:
            found = re.match(r"\S+ \((\S+)\)", lines.readline())
        return (package, found.group(1)) if found else None
    return None


def cuda_version(header):
    try:
        number = int(re.search(r"^#define CUDA_VERSION +(\d+)", header.read_text(errors="replace"), re.M).group(1))
    except (OSError, AttributeError):
        return ""
    return f"{number // 1000}.{number % 1000 // 10}"


def distribution_id():
    """debian or ubuntu: the arm64 root is of the same one as the machine."""
    try:
        found = re.search(r'^ID="?(\w+)', Path("/etc/os-release").read_text(), re.M)
    except OSError:
        return ""
    return found.group(1) if found else ""


def used_libraries(build, root):
    """[(Library, version or "", purl or "")] of what a build has linked."""
    cache, used = cache_of(build), []
    distribution = distribution_id()
    for library in LIBRARIES:
        value, version, purl = cache.get(library.variable, ""), "", ""
        if library.name == GCC_RUNTIME:
            version = compiler_version(build)
        elif not value or value.endswith("-NOTFOUND"):
            continue  # zstd and the headers of CUDA are used where they are found
        elif library.licence == CUDA_LICENCE:
            version = cuda_version(Path(value + library.file))
        elif package := installed_package(root, Path(value + library.file), library.package):
            name, version = package
            if distribution:
                purl = f"pkg:deb/{distribution}/{name}@{quote(version, safe='~')}"
        used.append((library, version, purl))
    return used


def licence_of(library, version):
    number = re.match(r"(?:\d+:)?(\d+)\.(\d+)", version)
    if library.licence == XZ_LICENCE and number and tuple(map(int, number.groups())) >= (5, 6):
        return "0BSD"
    return library.licence


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(word for word in words if word)).strip("-")


def package_of(name, version, licence, **more):
    entry = {"name": name, "SPDXID": identifier(name, version), "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
             "copyrightText": "NOASSERTION"}
    if version:
        entry["versionInfo"] = version
    return entry | more


def document(version, epoch, used, files):
    """The SPDX document. `used`: {processor: used_libraries(...)}, `files`: {processor: paths of its packages}.

    The same release gives the same text: its time is that of the commit, its name a digest of what is in it.
    """
    packages, relations = {}, []

    def relate(one, kind, other):
        relations.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    for processor, libraries in used.items():
        program = package_of("prof", version, "Apache-2.0", SPDXID=identifier("prof", version, processor),
                             primaryPackagePurpose="APPLICATION",
                             comment=f"The command and the libraries in the packages for {processor}.")
        packages[program["SPDXID"]] = program
        if not files.get(processor):
            relate("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"])
        for path in files.get(processor, []):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            entry = package_of("prof", version, "Apache-2.0", SPDXID=identifier("file", path.name),
                               packageFileName=path.name, primaryPackagePurpose="ARCHIVE",
                               checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
            packages[entry["SPDXID"]] = entry
            relate("SPDXRef-DOCUMENT", "DESCRIBES", entry["SPDXID"])
            relate(entry["SPDXID"], "CONTAINS", program["SPDXID"])
        for library, its_version, purl in libraries:
            entry = package_of(library.name, its_version, licence_of(library, its_version),
                               homepage=library.homepage, primaryPackagePurpose="LIBRARY")
            if purl:
                entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                          "referenceLocator": purl}]
            packages[entry["SPDXID"]] = entry
            if library.licence == CUDA_LICENCE:
                relate(entry["SPDXID"], "BUILD_DEPENDENCY_OF", program["SPDXID"])
            else:
                relate(program["SPDXID"], "STATIC_LINK", entry["SPDXID"])
    entries = sorted(packages.values(), key=lambda entry: entry["SPDXID"])
    licences = " ".join(entry["licenseDeclared"] for entry in entries)
    name = uuid.uuid5(uuid.NAMESPACE_URL, repr((entries, relations)))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"prof-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/prof-{version}-{name}",
        "creationInfo": {"created": epoch.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: prof-packaging-sbom"]},
        "packages": entries,
        "relationships": relations,
        "hasExtractedLicensingInfos": [{"licenseId": each, "extractedText": text}
                                       for each, text in OTHER_LICENCES.items() if each in licences],
    }
