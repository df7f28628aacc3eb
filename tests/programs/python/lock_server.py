"""lock_server.py: each request has a thread. /report computes with a lock that all requests need."""
import select
import socket
import threading
import zlib

LOCK = threading.Lock()
COUNTS = {}
REPORTS = 6
CLIENTS = 3
COUNTS_EACH = 20


def customer_totals(data):
    """Computes without the interpreter lock."""
    return [zlib.crc32(data) for _ in range(30)]


def report():
    with LOCK:
        customer_totals(bytes(5_000_000))


def count(key):
    with LOCK:
        COUNTS[key] = COUNTS.get(key, 0) + 1


def handle(connection):
    with connection:
        request = connection.recv(16)
        if request == b"report":
            report()
        else:
            count(request)
        connection.sendall(b"done")


def serve(listener, requests):
    poller = select.poll()
    poller.register(listener, select.POLLIN)
    for _ in range(requests):
        poller.poll()
        threading.Thread(target=handle, args=(listener.accept()[0],)).start()


def ask(port, request, times):
    for _ in range(times):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(request)
            connection.recv(16)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)
    port = listener.getsockname()[1]
    clients = [threading.Thread(target=ask, args=(port, b"report", REPORTS))]
    clients += [threading.Thread(target=ask, args=(port, b"count", COUNTS_EACH)) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    serve(listener, REPORTS + CLIENTS * COUNTS_EACH)
    for client in clients:
        client.join()


main()
