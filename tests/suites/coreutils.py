"""GNU coreutils' `make check`: some 600 shell scripts, thousands of short processes."""
import sources
from suite import Part

VERSION = "9.1"
ARCHIVE = f"c/coreutils/coreutils_{VERSION}.orig.tar.xz"
SHA256 = "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423"
EXPLAINED = {
    "misc/env-S": "prints the whole environment of a child of `env -i`, into which --env-policy=repair puts prof's "
                  "variables back; the same with --option=--env-policy=respect"}


def built(into):
    folder = into / f"coreutils-{VERSION}"
    if not (folder / "src" / "ls").exists():
        sources.unpack(ARCHIVE, SHA256, into)
        sources.build("coreutils", folder, [["./configure", "-q", "--disable-nls"], ["make", "-j2"]],
                      {"FORCE_UNSAFE_CONFIGURE": "1"})
    return folder


def parts(arguments):
    folder = built(arguments.sources)

    def results():
        return folder.glob("tests/**/*.trs")

    def forget():
        for path in results():
            path.unlink()

    def outcomes(_, scratch):
        found = {}
        for path in results():
            name = str(path.relative_to(folder / "tests").with_suffix(""))
            found[name] = next(line.split()[-1] for line in path.read_text().splitlines()
                               if line.startswith(":global-test-result:"))
            log = path.with_suffix(".log")
            if log.exists():  # kept for the reader, because the next run overwrites it
                kept = scratch / "logs" / f"{name.replace('/', '_')}.log"
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(log.read_bytes()[-200_000:])
        return found

    return [Part("check", ["make", "-j2", "check", "SUBDIRS=.", "RUN_VERY_EXPENSIVE_TESTS=no"], outcomes, 3000,
                 directory=folder, prepare=forget)]
