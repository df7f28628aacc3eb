"""A threaded server in Python that works with C extensions for each request. Prints its port, ends with status 7 at the
end of its input, and then prints how many requests it answered and how often something went wrong."""
import contextlib
import os
import socketserver
import sys
import threading
import zlib

import numpy
import pandas

answered = wrong = 0
lock = threading.Lock()


def answer_to(number):
    value = 1469598103934665603
    for i in range(8):
        value = ((value ^ (number >> (8 * i) & 255)) * 1099511628211) & 0xffffffffffffffff
    return value & 0x7fffffffffffffff


def work(number):
    """The same result for the same number, through numpy, pandas and a C extension that releases the lock."""
    column = numpy.arange(number % 97, number % 97 + 400)
    frame = pandas.DataFrame({"key": column % 7, "value": column})
    total = int(frame.groupby("key").value.sum().sum())
    product = numpy.ones((40, 40)) @ numpy.ones((40, 40))
    return (total == int(column.sum()) and product[3, 5] == 40
            and zlib.decompress(zlib.compress(column.tobytes())) == column.tobytes())


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(ConnectionError):  # the client has ended
            for line in self.rfile:
                self.answer(int(line))

    def answer(self, number):
        global answered, wrong
        is_right = work(number)
        with lock:
            answered += 1
            wrong += not is_right
        self.wfile.write(b"%d\n" % answer_to(number))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Handler) as server:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    server.shutdown()
    with lock:
        print(f"answered {answered} wrong {wrong}", flush=True)
    os._exit(7)
