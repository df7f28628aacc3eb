"""The programs that the suite attaches to, each with a load of requests."""
import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import state

SOURCES = Path(__file__).resolve().parent / "servers"
STATUS = 7  # with which our servers end


class Unavailable(Exception):
    """Why a program cannot be tested here."""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(map(str, command))}: {done.stdout.strip()[-400:]}")
    return done.stdout


def find(*names):
    for name in names:
        if path := shutil.which(name) or next((str(path) for path in Path("/").glob(name.lstrip("/"))), None):
            return path
    raise Unavailable(f"{names[0]} is not installed")


def free_port():
    with contextlib.closing(socket.socket()) as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


class Client:
    """The load, and what it sees."""

    def __init__(self, folder, port, connections, pause_us, *page):
        self.process = subprocess.Popen([folder / "client", str(port), str(connections), str(pause_us), *map(str, page)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.requests = self.wrong = 0

    def since(self):
        """(requests, median, 99th percentile, longest) since the last time; times in ms."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        count, wrong, median, late, longest = map(int, self.process.stdout.readline().split())
        self.requests += count
        self.wrong += wrong
        return count, median * 1e-3, late * 1e-3, longest * 1e-3

    def end(self):
        self.since()
        self.process.stdin.close()
        self.process.wait()


class Server:
    """One of our own servers."""
    user = None  # whom it runs as, if not as this one
    files_vary = False  # it opens and closes files as it works

    def __init__(self, name, command, connections, pause_us=2000, threads_vary=False, setup=(), environment=()):
        self.name, self.command, self.setup = name, command, setup
        self.connections, self.pause_us, self.threads_vary = connections, pause_us, threads_vary
        self.environment = dict(environment)

    def start(self, folder):
        self.folder = folder
        for command in self.setup:
            command(folder)
        self.process = subprocess.Popen([str(word).replace("{folder}", str(folder)) for word in self.command],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
                                        stderr=subprocess.STDOUT, env={**os.environ, **self.environment})
        line = self.process.stdout.readline()
        if not line.strip().isdigit():
            raise Unavailable(line + self.process.communicate()[0])
        self.pid = self.process.pid
        self.client = Client(folder, line.strip(), self.connections, self.pause_us)

    def problems_at_end(self):
        self.client.end()
        out, _ = self.process.communicate(timeout=120)
        found = [f"{self.client.wrong} wrong answers"] if self.client.wrong else []
        if self.process.returncode != STATUS:
            found.append(f"ended with status {self.process.returncode}: {out}")
        said = re.fullmatch(r"answered (\d+) wrong 0\n", out)
        if not said or int(said[1]) < self.client.requests:
            found.append(f"{self.client.requests} requests; the server says: {out}")
        return found

    def kill(self):
        for each in (self.client.process if hasattr(self, "client") else None, getattr(self, "process", None)):
            if each is not None and each.poll() is None:
                each.kill()
                each.wait()


def build_cpp(name, *options):
    def command(folder):
        if not (folder / name).exists():
            run("g++", "-O2", "-std=c++20", "-pthread", *options, "-o", folder / name, SOURCES / f"{name}.cpp")
    return command


def build_go(folder):
    run(find("go"), "build", "-o", folder / "go-server", ".", cwd=SOURCES / "go",
        env={**os.environ, "GOCACHE": str(folder / "gocache"), "GOFLAGS": "-mod=mod", "CGO_ENABLED": "1",
             "HOME": str(folder)})


def build_java(folder):
    run(find("javac", "/usr/lib/jvm/*/bin/javac"), "-d", folder / "java", SOURCES / "Server.java")


class Nginx(Server):
    def __init__(self):
        super().__init__("nginx", (), 32, 1000)

    def start(self, folder):
        self.folder, port = folder, free_port()
        home = folder / "nginx"
        for name in ("logs", "html", "tmp"):
            (home / name).mkdir(parents=True, exist_ok=True)
        body = bytes(range(256)) * 256
        (home / "html" / "page").write_bytes(body)
        kinds = " ".join(f"{kind}_temp_path tmp/{kind};" for kind in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (home / "conf").write_text(
            f"daemon off; user {pwd.getpwuid(os.geteuid()).pw_name}; worker_processes 2; pid tmp/pid;\n"
            "error_log logs/error warn;\nevents { worker_connections 256; }\n"
            f"http {{ {kinds} access_log logs/access; keepalive_requests 100000000; gzip off; sendfile on;\n"
            f"server {{ listen 127.0.0.1:{port}; root html; }} }}\n")
        self.process = subprocess.Popen([find("nginx", "/usr/sbin/nginx"), "-p", str(home), "-c", str(home / "conf")],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pid = self.process.pid
        time.sleep(1)
        if self.process.poll() is not None:
            raise Unavailable(self.process.communicate()[0])
        self.client = Client(folder, port, self.connections, self.pause_us, "http", "/page", len(body))

    def problems_at_end(self):
        self.client.end()
        self.process.send_signal(signal.SIGQUIT)
        out, _ = self.process.communicate(timeout=60)
        found = [f"{self.client.wrong} wrong answers"] if self.client.wrong else []
        if self.process.returncode != 0 or out:
            found.append(f"ended with status {self.process.returncode}: {out}")
        errors = (self.folder / "nginx" / "logs" / "error").read_text()
        return found + ([f"error log: {errors[-400:]}"] if errors else [])


class PostgreSQL(Server):
    """As its own user: it refuses to run as root. One client reconnects for each transaction, so that the server forks
    all the time."""
    files_vary = True

    def __init__(self):
        super().__init__("PostgreSQL", (), 4)
        self.user = "postgres" if os.geteuid() == 0 else None

    def command_of(self, name):
        return find(f"/usr/lib/postgresql/*/bin/{name}")

    def popen(self, *command, **options):
        return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, user=self.user, group=self.user, extra_groups=[] if self.user else None,
                                cwd=self.home, **options)

    def works(self, *command):
        done = self.popen(*command)
        out, _ = done.communicate()
        if done.returncode != 0:
            raise Unavailable(out[-400:])
        return out

    def start(self, folder):
        self.folder, self.home, self.port = folder, folder / "postgresql", free_port()
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        if self.user:
            folder.chmod(0o755)
            shutil.chown(self.home, self.user)
        self.works(self.command_of("initdb"), "-D", self.home / "data", "-A", "trust", "-N")
        self.process = self.popen(self.command_of("postgres"), "-D", self.home / "data", "-p", self.port, "-k",
                                  self.home, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=30")
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stdout), daemon=True).start()
        self.pid = self.process.pid
        at = ["-h", self.home, "-p", self.port]
        for _ in range(100):
            if self.process.poll() is not None:
                raise Unavailable("".join(self.log))
            if (self.home / f".s.PGSQL.{self.port}").exists():
                break
            time.sleep(0.1)
        time.sleep(1)
        self.works(self.command_of("createdb"), *at, "bench")
        self.works(self.command_of("pgbench"), *at, "-i", "-s", "2", "-q", "bench")
        self.steady = self.popen(self.command_of("pgbench"), *at, "-n", "-c", self.connections, "-T", 100000, "-l",
                                 "--rate=400", "bench")
        self.forking = self.popen(self.command_of("pgbench"), *at, "-n", "-C", "-S", "-T", 100000, "--rate=50", "bench")
        self.client = self
        self.at = at
        time.sleep(2)
        self.log_file = next(self.home.glob("pgbench_log.*"))
        self.read_to = 0

    # As a client.
    def since(self):
        with open(self.log_file, encoding="ascii") as log:
            log.seek(self.read_to)
            text = log.read()
        whole = text[:text.rfind("\n") + 1]
        self.read_to += len(whole)
        times = sorted(int(line.split()[2]) * 1e-3 for line in whole.splitlines())
        if not times:
            return 0, 0, 0, 0
        return len(times), times[len(times) // 2], times[int(0.99 * (len(times) - 1))], times[-1]

    def problems_at_end(self):
        found = []
        for each in (self.steady, self.forking):
            each.send_signal(signal.SIGINT)
            try:
                out, _ = each.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                return found + ["a client does not end: the server does not answer it"]
            if "aborted" in out or "FATAL" in out or "ERROR" in out:
                found.append(out[-400:])
        wanted, = self.works(self.command_of("psql"), *self.at, "-Atc",
                             "SELECT (SELECT sum(delta) FROM pgbench_history) = (SELECT sum(abalance) FROM "
                             "pgbench_accounts)", "bench").split()
        if wanted != "t":
            found.append("the sums of the transactions differ")
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            return found + ["it does not end"]
        if self.process.returncode != 0:
            found.append(f"ended with status {self.process.returncode}")
        bad = [line for line in self.log if re.search(r"PANIC|terminated by signal|ERROR|crash", line)]
        return found + bad

    def kill(self):
        for name in ("steady", "forking", "process"):
            each = getattr(self, name, None)
            if each is not None and each.poll() is None:
                processes = state.tree(each.pid)
                each.send_signal(signal.SIGINT if name == "process" else signal.SIGKILL)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    each.wait(20)
                    continue
                for pid in processes:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                each.wait()


def cpp_server():
    return Server("C++", ["{folder}/server"], 39, 3000, setup=[build_cpp("server")])


def python_server(name, python, more=()):
    def packages(folder):
        home = folder / f"venv-{name}"
        if not (home / "bin" / "python").exists():
            run(python, "-m", "venv", home)
            run(home / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", "numpy",
                "pandas", *more)
    return Server(name, [f"{{folder}}/venv-{name}/bin/python", SOURCES / "server.py"], 4, 20000, setup=[packages],
                  environment={"OPENBLAS_NUM_THREADS": "2"})


def all_servers(pythons):
    found = [cpp_server()]
    for python in pythons:
        version = run(python, "-c", "import platform; print(platform.python_version())").strip()
        found.append(python_server(f"CPython-{version}", python))
    found += [
        Server("Go", ["{folder}/go-server"], 16, 2000, threads_vary=True, setup=[build_go]),
        Server("Java", [find_or("java", "/usr/lib/jvm/*/bin/java"), "-Xmx256m", "-cp", "{folder}/java", "Server"], 16,
               2000, threads_vary=True, setup=[build_java]),
        Nginx(), PostgreSQL()]
    return found


def find_or(*names):
    try:
        return find(*names)
    except Unavailable:
        return names[0]
