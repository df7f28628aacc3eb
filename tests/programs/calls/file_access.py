"""Reads and writes files and a socket from Python. Prints what prof must find."""
import json
import os
import socket
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    folder = os.path.realpath(folder)
    path = os.path.join(folder, "data")
    with open(path, "wb", buffering=0) as file:
        for _ in range(10):
            file.write(b"x" * 1000)
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) == 10_000

    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    peer, address = server.accept()
    client.sendall(b"y" * 500)
    received = 0
    while received < 500:
        received += len(peer.recv(4096))
    for one in (client, peer, server):
        one.close()

    out = subprocess.run([sys.executable, "-S", "-c", "import os; os.write(1, b'z' * 300)"],
                         stdout=subprocess.PIPE, check=True).stdout
    assert len(out) == 300

print(json.dumps({"data": path, "client": f"tcp:127.0.0.1:{port}",
                  "server": f"tcp:127.0.0.1:{address[1]}", "pid": os.getpid()}))
