"""A running `prof view`, and raw requests to it."""
import contextlib
import json
import re
import signal
import socket
import subprocess
from urllib.parse import urlencode

from profiling import PROF

WAIT = 60  # s; for what always happens


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}

    def json(self):
        return json.loads(self.body.decode("utf-8", errors="strict"))


class Server:
    def __init__(self, *arguments, browser=False, **options):
        self.process = subprocess.Popen(
            [str(PROF), "view", *([] if browser else ["--no-browser"]), *map(str, arguments)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.url)
        assert match, self.url + self.process.communicate(timeout=WAIT)[1]
        self.port, self.token = int(match[1]), match[2]
        self.host = f"127.0.0.1:{self.port}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def send(self, text):
        """All bytes that the server answers until it closes the connection."""
        with self.connect() as connection:
            connection.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))
            return read_all(connection)

    def head(self, target, fields=(), method="GET", host=None, version="1.1"):
        lines = [f"{method} {target} HTTP/{version}", f"Host: {host or self.host}", "Connection: close",
                 *(f"{name}: {value}" for name, value in dict(fields).items())]
        return "\r\n".join(lines) + "\r\n\r\n"

    def ask(self, path, fields=(), method="GET", host=None):
        """The answer for a path below the token."""
        return Answer(self.send(self.head(f"/{self.token}/{path}", fields, method, host)))

    def get(self, name, /, **parameters):
        """The answer of api/NAME."""
        return self.ask(f"api/{name}?{urlencode(parameters)}")

    def json(self, name, /, **parameters):
        answer = self.get(name, **parameters)
        assert answer.status == 200, answer.body
        return answer.json()

    def exact_rows(self):
        """The answer of api/rows when everything is loaded."""
        while not (rows := self.json("rows"))["exact"]:
            assert self.process.poll() is None
        return rows

    def end(self, number=signal.SIGTERM):
        """(status, rest of stdout, stderr)"""
        self.process.send_signal(number)
        out, err = self.process.stdout.read(), self.process.stderr.read()
        return self.process.wait(timeout=WAIT), out, err


def read_all(connection):
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def viewing(*arguments, **options):
    server = Server(*arguments, **options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()
