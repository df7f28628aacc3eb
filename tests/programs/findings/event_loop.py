"""event_loop.py [--uvloop] WAY...: an event loop with a timer of 10 ms, and callbacks that block it or do not.

sleeps      a coroutine calls a function that sleeps for 150 ms, five times
computes    a coroutine computes for 150 ms of CPU time, five times
in_pieces   a coroutine computes as long, but lets the loop run after each millisecond
in_thread   a coroutine lets a thread sleep
"""
import asyncio
import sys
import time


def wait_for_answer():
    time.sleep(0.15)


def checksum(seconds):
    total = 0
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(2000):
            total = (total * 31 + i) & 0xffffffff
    return total


async def sleeps():
    for _ in range(5):
        wait_for_answer()
        await asyncio.sleep(0.03)


async def computes():
    for _ in range(5):
        checksum(0.15)
        await asyncio.sleep(0.03)


async def in_pieces():
    for _ in range(700):
        checksum(0.001)
        await asyncio.sleep(0)


async def in_thread():
    for _ in range(5):
        await asyncio.get_running_loop().run_in_executor(None, wait_for_answer)


async def timer(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(0.01)


async def main(ways):
    await asyncio.gather(timer(1.0), *[globals()[way]() for way in ways])


if sys.argv[1:2] == ["--uvloop"]:
    import uvloop
    uvloop.run(main(sys.argv[2:]))
else:
    asyncio.run(main(sys.argv[1:]))
