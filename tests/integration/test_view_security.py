"""Who gets answers of prof view, and what a client without the token, or without manners, can do: nothing."""
import contextlib
import socket
import time

import pytest
from made_up_program import Program
from view_server import WAIT, Answer, read_all, viewing


def make_report(path):
    program = Program(path)
    program.kernel("work", 1000)
    program.done()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "report.db"
    make_report(path)
    with viewing(path) as server:
        server.exact_rows()
        yield server


def answer(server, text):
    return Answer(server.send(text))


def refuses(found, status, body=b""):
    assert (found.status, found.body) == (status, body)
    assert "access-control-allow-origin" not in found.fields


def test_page_and_its_fields(server):
    page = server.ask("")
    assert page.status == 200 and b"<html" in page.body.lower() or b"<!doctype html" in page.body.lower()
    assert page.fields["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in page.fields["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'" and policy["require-trusted-types-for"] == "'script'"
    assert page.fields["x-content-type-options"] == "nosniff"
    assert page.fields["referrer-policy"] == "no-referrer"
    assert page.fields["cross-origin-resource-policy"] == "same-origin"
    assert page.fields["cross-origin-opener-policy"] == "same-origin"


def test_refusals_have_the_fields_too(server):
    for found in (answer(server, server.head("/")), answer(server, "nonsense\r\n\r\n")):
        assert found.fields["x-content-type-options"] == "nosniff"
        assert "content-security-policy" in found.fields


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1",
                                  "127.0.0.1.evil.example:{port}", "localhost:{port}.evil.example", "0.0.0.0:{port}"])
def test_a_name_that_leads_here_is_another_site(server, host):
    """DNS rebinding: the browser takes the page of evil.example to be of the same site as this server."""
    host = host.format(port=server.port)
    found = server.ask("api/rows", host=host)
    assert found.status == 403 and b"--allow-host" in found.body
    refuses(answer(server, server.head("/", host=host)), 404)  # without the token not even that


def test_own_names_are_answered(server):
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}", f"LOCALHOST:{server.port}"):
        assert server.ask("api/rows", host=host).status == 200


@pytest.mark.parametrize("fields", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}])
def test_other_sites_get_nothing(server, fields):
    assert server.ask("api/rows", fields).status == 403


def test_the_page_opens_from_elsewhere(server):
    navigation = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert server.ask("", navigation).status == 200
    assert server.ask("", {**navigation, "Sec-Fetch-Dest": "iframe"}).status == 403


def test_without_the_token_nothing_is_there(server):
    token = server.token
    wrong = ("1" if token[0] == "0" else "0") + token[1:]
    for target in ("/", "/favicon.ico", "/api/rows", f"/{wrong}/", f"/{token}", f"//{token}/", f"/{token.upper()}x/",
                   f"/{token[:-1]}/", f"/{token}0/", f"/%{ord(token[0]):x}{token[1:]}/", f"/x/../{token}/",
                   f"http://{server.host}/{token}/", f"/?/{token}/", f"/{token}%2f"):
        refuses(answer(server, server.head(target)), 404)
    for method in ("POST", "PUT", "OPTIONS", "TRACE", "DELETE"):
        refuses(answer(server, server.head("/", method=method)), 404)


@pytest.mark.parametrize("path", [
    "page/..", "page/../index.html", "page/..%2f..%2f..%2fetc%2fpasswd", "page/../../../../etc/passwd", "page/%2e%2e/x",
    "page//etc/passwd", "page/", "page", "page/index.html/", "page/%00", "page/..%c0%af", "page/..\\..\\x", "../", "./",
    "api", "api/", "api/nothing", "api/../page/index.html", "api/rows/", "api/rows%3f", "API/rows", "%61pi/rows", "x"])
def test_only_known_paths_exist(server, path):
    refuses(server.ask(path), 404)


def test_head_has_no_body(server):
    for path in ("", "api/rows"):
        got, head = server.ask(path), server.ask(path, method="HEAD")
        assert head.status == 200 and head.body == b""
        assert head.fields["content-type"] == got.fields["content-type"]
    assert server.ask("", method="HEAD").fields["content-length"] == str(len(server.ask("").body))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_get_and_head(server, method):
    found = server.ask("api/rows", method=method)
    assert found.status == 405 and found.fields["allow"] == "GET, HEAD"


def test_a_body_is_not_read(server):
    found = answer(server, server.head(f"/{server.token}/api/rows", {"Content-Length": 1 << 40}, method="POST"))
    assert found.status in (400, 405)
    both = {"Content-Length": 5, "Transfer-Encoding": "chunked"}
    found = answer(server, server.head(f"/{server.token}/api/rows", both) + "0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
    assert found.fields["connection"] == "close"


@pytest.mark.parametrize("text", [
    "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\r\n\r\n", "\0" * 100 + "\r\n\r\n", "GET / HTTP/1.1\r\n:x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], ids=range(10))
def test_what_is_not_http_is_refused(server, text):
    raw = server.send(text)
    assert raw == b"" or Answer(raw).status == 400


@pytest.mark.parametrize("head", [
    "GET /" + "a" * 9000 + " HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\n" + "".join(f"X-{i}: y\r\n" for i in range(2000)) + "\r\n",
    "GET / HTTP/1.1\r\nX: " + "y" * 9000 + "\r\n\r\n"], ids=["url", "many", "long"])
def test_a_head_of_more_than_8_kib_is_refused(server, head):
    with server.connect() as connection:
        # The server does not read all of this, so the connection can be reset.
        with contextlib.suppress(ConnectionError):
            connection.sendall(head.encode())
        raw = b""
        with contextlib.suppress(ConnectionError):
            raw = read_all(connection)
    assert raw == b"" or Answer(raw).status == 431
    assert server.ask("api/rows").status == 200


def test_a_head_of_nearly_8_kib_is_answered(server):
    fields = {f"X-{i}": "y" * 70 for i in range(90)}
    assert 7000 < len(server.head(f"/{server.token}/", fields)) < 8000
    assert server.ask("", fields).status == 200


def test_requests_follow_each_other_on_one_connection(server):
    head = server.head(f"/{server.token}/api/names?from=0").replace("Connection: close\r\n", "")
    last = server.head(f"/{server.token}/api/names?from=0")
    raw = server.send(head + head + last)  # also without waiting for the answers
    assert raw.count(b"HTTP/1.1 200 OK") == 3


def test_slow_heads_are_given_up(server):
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert read_all(connection) == b""  # after 10 s


def test_silent_connections_make_room(server):
    """Beyond 64 connections, each new one takes the place of the oldest that has not sent the token."""
    with contextlib.ExitStack() as stack:
        known = stack.enter_context(server.connect())
        head = server.head(f"/{server.token}/api/rows").replace("Connection: close", "Connection: keep-alive").encode()
        known.sendall(head)
        assert known.recv(1) == b"H"
        silent = [stack.enter_context(server.connect()) for _ in range(100)]
        assert server.ask("api/rows").status == 200
        assert read_all(silent[0]) == b""
        known.sendall(head)  # it keeps its place
        assert known.recv(1)


@pytest.mark.parametrize("silent", [0, 0.5])
def test_more_connections_than_64_with_the_token_wait(server, silent):
    """Also if the tokens come so late that the connections would have given way."""
    with contextlib.ExitStack() as stack:
        known = [stack.enter_context(server.connect()) for _ in range(64)]
        time.sleep(silent)
        head = server.head(f"/{server.token}/api/rows")
        for connection in known:
            connection.sendall(head.replace("Connection: close", "Connection: keep-alive").encode())
            assert connection.recv(1) == b"H"
        waiting = stack.enter_context(server.connect())
        waiting.sendall(head.encode())
        waiting.settimeout(0.5)
        with pytest.raises(socket.timeout):
            waiting.recv(1)
        known[7].close()
        waiting.settimeout(WAIT)
        assert Answer(read_all(waiting)).status == 200


def test_clients_that_leave_do_no_harm(server):
    for number in range(200):
        with server.connect() as connection:
            connection.sendall(server.head(f"/{server.token}/api/rows").encode()[:number * 2])
    for _ in range(50):
        with server.connect() as connection:
            connection.sendall(server.head(f"/{server.token}/api/rows").encode())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset
    assert server.ask("api/rows").status == 200


def test_other_addresses_of_this_machine_are_closed(server):
    with contextlib.closing(socket.socket()) as other:
        other.settimeout(5)
        with pytest.raises(OSError):
            other.connect(("127.0.0.2", server.port))


def test_allow_host(tmp_path, server):
    path = tmp_path / "report.db"
    make_report(path)
    with viewing("--allow-host", "localhost:9000", "--allow-host", "node7", path) as other:
        for host in ("localhost:9000", "node7", "node7:8080"):
            assert other.ask("api/rows", host=host).status == 200
            assert other.ask("api/rows", {"Origin": f"http://{host}"}, host=host).status == 200
        assert other.ask("api/rows", host="localhost:9001").status == 403
        assert other.ask("api/rows", {"Origin": "http://evil.example"}, host="node7").status == 403
        refuses(answer(other, other.head(f"/{server.token}/")), 404)  # each has a token of its own


def test_answers_are_kept_only_if_they_cannot_change(server):
    assert server.ask("api/rows").fields["cache-control"] == "no-store"
    assert server.ask("").fields["cache-control"] == "no-store"
    row = server.json("rows")["rows"][0]["id"]
    tile = server.get("tile", rows=row, level=20, index=0, v=1)
    assert tile.fields["cache-control"] == "private, max-age=31536000, immutable"
