"""A server with asyncio, and a client in the same process that asks every 20 ms and is idle in between."""
import asyncio


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def ask(port, count):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(count):
        writer.write(b"question %d\n" % number)
        assert (await reader.readline()) == b"QUESTION %d\n" % number
        await asyncio.sleep(0.02)
    writer.close()
    await writer.wait_closed()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        await ask(server.sockets[0].getsockname()[1], 40)


asyncio.run(main())
