"""Makes ranges and marks in phases: nvtx_phases.py FOLDER... Each folder holds a version of the package nvtx, which a
child process uses. Standard input says what the children do; each line is answered with "done":

start      they begin, and wait
load       they import the package
use        they make all domains and some names known, and the events of phase 0
phase      they make the events of the next phase
capture N  the same, while the child number N has a range with the name "captured" in the domain "captures"

At the end of the input the program prints {version: {"pid": pid, "counts": [{name: count} for each phase]}}. A version
that has counters makes samples of one, which are counted by the name "samples"."""
import json
import os
import subprocess
import sys

PHASES = 10


class Events:
    """Makes the events of phases, with the package that has been imported, and counts them."""

    def __init__(self, nvtx):
        def work():
            pass

        self.nvtx = nvtx
        self.decorated = [nvtx.annotate(f"decorated {phase}", domain="counted")(work) for phase in range(PHASES)]
        self.reused = [nvtx.annotate(f"reused {phase}") for phase in range(PHASES)]
        domain = getattr(nvtx, "get_domain", lambda name: None)("counted")
        self.counter = domain.get_counter("level", int) if hasattr(domain, "get_counter") else None
        self.counts = []

    def phase(self):
        phase = len(self.counts)
        kinds = [getattr(self, f"make_{kind}") for kind in ("decorated", "reused", "new", "pushed", "started", "marked")]
        self.counts.append({})
        for place, make in enumerate(kinds, 1):
            name = f"{make.__name__[5:]} {phase}"
            self.counts[-1][name] = 10 * place + phase
            for _ in range(self.counts[-1][name]):
                make(name, phase)
        if self.counter is not None:
            self.counts[-1]["samples"] = 5 + phase
            for value in range(5 + phase):
                self.counter.sample(value)

    def make_decorated(self, _, phase):
        self.decorated[phase]()

    def make_reused(self, _, phase):
        with self.reused[phase]:
            pass

    def make_new(self, name, _):
        with self.nvtx.annotate(name, domain="counted"):
            pass

    def make_pushed(self, name, _):
        self.nvtx.push_range(name, domain="counted")
        self.nvtx.pop_range(domain="counted")

    def make_started(self, name, _):
        self.nvtx.end_range(self.nvtx.start_range(name))

    def make_marked(self, name, _):
        self.nvtx.mark(name, domain="counted")


def obey():
    print("done", flush=True)
    for line in sys.stdin:
        if line == "load\n":
            import nvtx
        elif line == "use\n":
            events = Events(nvtx)
            events.phase()
        elif line == "phase\n":
            events.phase()
        elif line == "begin\n":
            nvtx.push_range("captured", domain="captures")
        elif line == "end\n":
            nvtx.pop_range(domain="captures")
        print("done", flush=True)
    print(json.dumps(events.counts))


class Child:
    def __init__(self, folder):
        self.version = os.path.basename(folder)
        self.process = subprocess.Popen([sys.executable, __file__, "child"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONPATH": folder})

    def is_done(self):
        assert self.process.stdout.readline() == "done\n"

    def begins(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def does(self, command):
        self.begins(command)
        self.is_done()

    def result(self):
        return {"pid": self.process.pid, "counts": json.loads(self.process.communicate()[0])}


def all_do(children, command):
    for child in children:
        child.begins(command)
    for child in children:
        child.is_done()


def main(folders):
    children = []
    for line in sys.stdin:
        command, *number = line.split()
        if command == "start":
            children = [Child(folder) for folder in folders]
            for child in children:
                child.is_done()
        elif command == "capture":
            children[int(number[0])].does("begin")
            all_do(children, "phase")
            children[int(number[0])].does("end")
        else:
            all_do(children, command)
        print("done", flush=True)
    print(json.dumps({child.version: child.result() for child in children}))


if __name__ == "__main__":
    obey() if sys.argv[1:] == ["child"] else main(sys.argv[1:])
