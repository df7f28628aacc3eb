"""prof upload copies reports to object stores and folders: it tries again, goes on after a cut, and checks the copies."""
import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest
from arrow_tables import needs_package, package
from profiling import PROF, prof

pytestmark = needs_package
pytest.importorskip("pyarrow")
fs = pytest.importorskip("pyarrow.fs")
SIZE = 20_000_000  # three parts of an upload to S3


@pytest.fixture(name="reports")
def fixture_reports(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for name, size in (("0.db", SIZE), ("1.db", 1000), ("1.db.partial", 30)):
        (folder / name).write_bytes(os.urandom(1000) * (size // 1000) or b"x" * size)
    (folder / ".hidden").write_text("")
    (folder / "2.db.tmp-prof7").write_text("")
    return folder


@pytest.fixture(scope="module", name="module")
def fixture_module():
    package()
    from prof_report import upload  # pylint: disable=import-outside-toplevel,import-error
    return upload


def command(*words):
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
                   "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_EC2_METADATA_DISABLED": "true"}
    return prof("upload", *words, env=environment)


def sums(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


def test_files_and_folders(reports, tmp_path):
    url = f"file://{tmp_path}/there"
    done = command(reports, url)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    names = ["0.db", "1.db", "1.db.partial"]
    wanted = {f"run/{name}": hashlib.sha256((reports / name).read_bytes()).hexdigest() for name in names}
    there = sums(tmp_path / "there")
    assert {name: there[name] for name in wanted} == wanted
    assert set(there) == {*wanted, *(f"{name}.sha256" for name in wanted)}
    subprocess.run(["sha256sum", "--quiet", "-c", "0.db.sha256", "1.db.sha256"], cwd=tmp_path / "there" / "run", check=True)
    done = command(reports / "1.db", url, "--delete")
    assert done.returncode == 0 and not (reports / "1.db").exists() and not (reports / "1.db.partial").exists()
    assert (tmp_path / "there" / "1.db").stat().st_size == 1000 and (reports / "0.db").exists()


class Failing(fs.FileSystemHandler):
    """A file system that fails at chosen moments: {(what, number of the call): error}."""

    def __init__(self, files, failures):
        self.files = files
        self.failures = failures
        self.calls = {}

    def _count(self, what):
        self.calls[what] = self.calls.get(what, 0) + 1
        error = self.failures.get((what, self.calls[what]))
        if error:
            raise error

    def open_output_stream(self, path, metadata):
        self._count("write")
        return self.files.open_output_stream(path)

    def open_input_stream(self, path):
        self._count("read")
        return self.files.open_input_stream(path)

    def get_file_info(self, paths):
        return self.files.get_file_info(paths)

    def create_dir(self, path, recursive):
        self.files.create_dir(path, recursive=recursive)

    def move(self, src, dest):
        self._count("move")
        self.files.move(src, dest)

    def get_type_name(self):
        return "failing"

    def normalize_path(self, path):
        return path

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def get_file_info_selector(self, selector):
        return self.files.get_file_info(selector)

    def delete_dir(self, path):
        raise NotImplementedError

    delete_dir_contents = delete_root_dir_contents = delete_file = copy_file = open_input_file = delete_dir

    def open_append_stream(self, path, metadata):
        raise NotImplementedError


def failing(module, folder, failures):
    handler = Failing(fs.LocalFileSystem(), failures)
    return handler, module._Target(fs.PyFileSystem(handler), str(folder), False)


def test_it_tries_again(module, reports, tmp_path):
    cut = OSError("the connection was reset")
    _, target = failing(module, tmp_path / "there", {("write", 1): cut, ("move", 1): cut, ("read", 1): cut})
    lines = []
    assert module.upload([reports], "x://", target=target, pause=0.001, say=lines.append) == 0
    assert len(lines) == 3 and all("the connection was reset; again in 0.00" in line for line in lines)
    assert len([name for name in sums(tmp_path / "there") if name.endswith(".sha256")]) == 3


def test_it_gives_up_on_a_file_and_goes_on_later(module, reports, tmp_path):
    failures = {("write", number): OSError("no route to host") for number in (1, 2, 3)}
    _, target = failing(module, tmp_path / "there", failures)
    lines = []
    assert module.upload([reports], "x://", target=target, retries=2, pause=0.001, say=lines.append, delete=True) == 1
    assert lines[-1] == f"{reports}/0.db is not uploaded: no route to host"
    assert sorted(path.name for path in reports.glob("*.db*")) == ["0.db", "2.db.tmp-prof7"]
    shutil.copytree(tmp_path / "there" / "run", tmp_path / "before")
    (reports / "1.db").write_bytes((tmp_path / "before" / "1.db").read_bytes())
    handler, target = failing(module, tmp_path / "there", {})
    assert module.upload([reports], "x://", target=target) == 0
    assert handler.calls["write"] == 2  # 0.db and its sum; 1.db is there


def test_a_damaged_copy_is_found_and_the_file_stays(module, reports, tmp_path, monkeypatch):
    _, target = failing(module, tmp_path / "there", {})
    copy = module._copy

    def damaging(place, source, count):
        copy(place, source, count)
        with open(place.path(source.name), "r+b") as file:
            file.write(b"damage")

    monkeypatch.setattr(module, "_copy", damaging)
    lines = []
    assert module.upload([reports / "0.db"], "x://", target=target, retries=1, pause=0.001, say=lines.append, delete=True) == 1
    assert lines[-1].endswith("0.db is not uploaded: the copy differs from the file") and (reports / "0.db").exists()
    monkeypatch.undo()
    assert module.upload([reports / "0.db"], "x://", target=target) == 0
    assert (tmp_path / "there" / "0.db").read_bytes() == (reports / "0.db").read_bytes()


def test_no_permission_is_not_tried_again(module, reports, tmp_path):
    _, target = failing(module, tmp_path / "there", {("write", 1): PermissionError("access denied")})
    lines = []
    assert module.upload([reports / "1.db"], "x://", target=target, say=lines.append) == 1
    assert lines == [f"{reports}/1.db is not uploaded: access denied"]


def test_errors(reports, tmp_path):
    for words, text in (((reports, tmp_path / "there"), "is not a URL"), ((tmp_path / "none", "file:///tmp/x"), "no such file"),
                        ((reports / "0.db", "ftp://x/y"), "ftp"), ((reports / "0.db",), "URL")):
        done = command(*words)
        assert done.returncode != 0 and text in done.stderr and done.stderr.startswith("prof: "), done.stderr
    done = prof("profile", "-o", "s3://bucket/run", "true", cwd=tmp_path)
    assert done.returncode == 2 and "prof upload" in done.stderr and not (tmp_path / "s3:").exists()


# --- a server of S3

class Cutting:
    """Passes connections on to a server; cuts all of them when this many bytes have come."""

    def __init__(self, port, limit):
        self.left = limit
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server = port
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.server))
                for ends in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source, sink, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if counts and self.left is not None:
                    self.left -= len(data)
                    if self.left < 0:
                        break
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture(name="store")
def fixture_store():
    pytest.importorskip("moto.server", reason="moto[server] is not installed")
    pytest.importorskip("flask", reason="moto[server] is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            break
        time.sleep(0.05)
    yield port
    server.kill()
    server.wait()


def test_s3_with_a_cut_in_the_middle(reports, store):
    files = fs.S3FileSystem(access_key="testing", secret_key="testing", scheme="http", region="us-east-1",
                            endpoint_override=f"127.0.0.1:{store}", allow_bucket_creation=True)
    files.create_dir("bucket")
    cutting = Cutting(store, SIZE // 2)
    rest = "scheme=http&region=us-east-1&endpoint_override=127.0.0.1:"
    done = command(reports, f"s3://bucket/jobs?{rest}{cutting.port}", "--retries=0")
    assert done.returncode == 1 and f"{reports}/0.db is not uploaded" in done.stderr, done.stderr
    assert files.get_file_info("bucket/jobs/run/0.db").type == fs.FileType.NotFound
    cutting.left = None
    done = command(reports, f"s3://bucket/jobs?{rest}{cutting.port}", "--delete")
    assert (done.returncode, done.stderr) == (0, "")
    with files.open_input_stream("bucket/jobs/run/0.db") as stream:
        assert len(stream.read()) == SIZE
    assert [path.name for path in reports.glob("*.db*")] == ["2.db.tmp-prof7"]
    assert PROF.exists()
