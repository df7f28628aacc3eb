"""trio's own tests, which its wheel contains."""
import subprocess

from junit import environment_python, pytest_part

# About trio's sources and how tools such as mypy read them.
SKIPPED = {"test_mypy_annotate", "test_gen_exports", "test_sync_requirements", "test_exports"}
EXPLAINED = {}


def parts(arguments):
    python = environment_python(arguments)
    code = ("import pathlib, trio; root = pathlib.Path(trio.__file__).parent\n"
            "for path in sorted(root.glob('**/test_*.py')):\n"
            "    print('.'.join(path.relative_to(root.parent).with_suffix('').parts))")
    listed = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [pytest_part(module.rpartition(".")[2], python,
                        ["-p", "trio._tests.pytest_plugin", "--run-slow", "--pyargs", module])
            for module in listed if module.rpartition(".")[2] not in SKIPPED]
