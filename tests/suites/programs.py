"""Parts of suites that consist of many programs: each program, with its arguments, is a case.

As a program, runs those of a list, one after the other, and prints an outcome for each."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from suite import Part


@dataclass
class Program:
    name: str
    words: list  # {temporary} is a new folder for each case
    environment: dict = field(default_factory=dict)
    directory: str = "{temporary}"
    sign: str = ""  # what a program that passes prints
    limit: float = 60  # seconds


def part(name, programs, folder, limit=3000):
    """`folder` is where the list of the programs is kept."""
    listed = Path(folder) / f"{name}.json"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(json.dumps([asdict(program) for program in programs]))

    def outcomes(log, _):
        return dict(line.removeprefix("CASE ").rsplit(": ", 1) for line in log.splitlines()
                    if line.startswith("CASE "))

    return Part(name, [sys.executable, __file__, listed], outcomes, limit)


def outcome(program, temporary):
    """'passed', or how the program ended."""
    words = [word.replace("{temporary}", temporary) for word in program.words]
    with tempfile.TemporaryFile() as output:
        # A new session: the ranks of a launcher that is killed go on.
        process = subprocess.Popen(words, cwd=program.directory.replace("{temporary}", temporary),
                                   env={**os.environ, **program.environment}, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output, start_new_session=True)
        try:
            status = str(process.wait(program.limit))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = "over the limit"
        output.seek(0)
        text = output.read().decode(errors="replace")
    if status == "0" and re.search(program.sign, text):
        return "passed", ""
    return (f"status {status}" if status.isdigit() or status[0] == "-" else status), text


def main():
    for entry in json.loads(Path(sys.argv[1]).read_text()):
        program = Program(**entry)
        with tempfile.TemporaryDirectory() as temporary:
            result, text = outcome(program, temporary)
        if text:
            print("\n".join(f"    {line}" for line in text.splitlines()[-15:]))
        print(f"CASE {program.name}: {result}", flush=True)


if __name__ == "__main__":
    main()
