"""Echoes messages over loopback in an event loop: echo.py uvloop|gevent|trio MESSAGES [apart]

A server and eight clients share the loop; with "apart" the clients have one in a child process. Each client sends
64 bytes and waits for them to come back, so at most eight messages are on their way.
"""
import os
import socket as sockets
import sys

MESSAGE = b"x" * 64
CONNECTIONS = 8


def listener():
    server = sockets.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    return server


def run_uvloop(server, serves, messages):
    import asyncio
    import uvloop

    class Server(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport = transport

        def data_received(self, data):
            self.transport.write(data)

    class Client(asyncio.Protocol):
        def __init__(self, done, count):
            self.done, self.left = done, count

        def connection_made(self, transport):
            self.transport = transport
            transport.write(MESSAGE)

        def data_received(self, data):
            self.left -= 1
            if self.left == 0:
                self.transport.close()
                self.done.set_result(None)
            else:
                self.transport.write(MESSAGE)

    async def main():
        loop = asyncio.get_running_loop()
        if serves:
            await loop.create_server(Server, sock=server)
        ends = [loop.create_future() for _ in range(CONNECTIONS if messages else 0)]
        for end in ends:
            await loop.create_connection(lambda end=end: Client(end, messages // CONNECTIONS), *server.getsockname())
        for end in ends or [loop.create_future()]:
            await end

    uvloop.run(main())


def run_gevent(server, serves, messages):
    import gevent
    from gevent import socket
    from gevent.server import StreamServer

    def serve(connection, _address):
        while data := connection.recv(4096):
            connection.sendall(data)

    def client(address):
        with socket.create_connection(address) as connection:
            for _ in range(messages // CONNECTIONS):
                connection.sendall(MESSAGE)
                connection.recv(4096)

    address = server.getsockname()
    if serves:
        StreamServer(socket.socket(fileno=server.detach()), serve).start()
    if not messages:
        gevent.sleep(1000)
    gevent.joinall([gevent.spawn(client, address) for _ in range(CONNECTIONS)], raise_error=True)


def run_trio(server, serves, messages):
    import trio

    async def serve(stream):
        async for data in stream:
            await stream.send_all(data)

    async def client():
        async with await trio.open_tcp_stream(*server.getsockname()) as stream:
            for _ in range(messages // CONNECTIONS):
                await stream.send_all(MESSAGE)
                await stream.receive_some(4096)

    async def main():
        async with trio.open_nursery() as servers:
            if serves:
                listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(server))]
                servers.start_soon(trio.serve_listeners, serve, listeners)
            if not messages:
                await trio.sleep_forever()
            async with trio.open_nursery() as clients:
                for _ in range(CONNECTIONS):
                    clients.start_soon(client)
            servers.cancel_scope.cancel()

    trio.run(main)


def main():
    run, messages, apart = globals()["run_" + sys.argv[1]], int(sys.argv[2]), sys.argv[3:] == ["apart"]
    server = listener()
    if not apart:
        run(server, True, messages)
        return
    child = os.fork()
    if child == 0:
        run(server, True, 0)
    else:
        run(server, False, messages)
        os.kill(child, 15)
        os.waitpid(child, 0)


main()
