"""gevent's own tests, which its wheel contains. Most files are unittest modules, some are scripts, of which the
exit status is the only case."""
import re
import subprocess

from junit import environment_python, without_numbers
from suite import Part

SKIPPED = {
    "test__issue6",         # asks for a terminal
    "test__socket_dns", "test__socket_dns6", "test__resolver_dnspython",  # ask name servers outside
    # gevent sets its handler of SIGCHLD after the fork. If the child ends before, the parent waits without an end: on
    # a busy machine in 15 of 100 runs without prof and in 4 of 100 with it.
    "test__issue1686",
    "test___monkey_patching",  # runs CPython's tests from gevent's repository, which the wheel lacks
}
EXPLAINED = {}
START = re.compile(r"^(test\w*) \((\S+)\)")
END = re.compile(r"(?:^|[^\w])(ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)$")


def outcomes(log, _):
    """Reads `unittest -v`. What a test prints stands between its name and its outcome."""
    result, name = {}, None
    for line in log.splitlines():
        start = START.match(line)
        if start:
            name = f"{start[2].replace('__main__.', '')}.{start[1]}"
            result.setdefault(name, "no result")
        end = END.search(line)
        if name and end:
            result[name] = without_numbers(end[1])
            name = None
    for kind, test, where in re.findall(r"^(FAIL|ERROR): (\S+) \((\S+)\)", log, re.M):
        result[f"{where.replace('__main__.', '')}.{test}"] = kind
    return result


def parts(arguments):
    python = environment_python(arguments)
    code = ("import glob, os, gevent.tests\n"
            "print(*sorted(os.path.basename(p)[:-3] for p in glob.glob(gevent.tests.__path__[0] + '/test_*.py')))")
    listed = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    environment = {"GEVENTTEST_USE_RESOURCES": "all,-network", "PYTHONDONTWRITEBYTECODE": "1"}
    return [Part(name, [python, "-u", "-m", f"gevent.tests.{name}", "-v"], outcomes, 300, environment=environment)
            for name in listed if name not in SKIPPED]
