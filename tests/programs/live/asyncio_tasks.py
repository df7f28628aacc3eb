"""Tasks of asyncio that await different things, forever. Prints a line when all of them do. With "busy" one of them runs
and does not let the others go on."""
import asyncio
import sys


async def next_order(queue):
    return await queue.get()


async def consume(queue):
    while True:
        await next_order(queue)


async def sleep_long():
    await asyncio.sleep(3600)


async def wait_for_task(task):
    await task


async def wait_for_all():
    await asyncio.gather(sleep_long(), sleep_long())


async def compute():
    await asyncio.sleep(0.1)
    print("ready", flush=True)
    while True:
        pass


async def main(busy):
    queue = asyncio.Queue()
    tasks = [asyncio.create_task(consume(queue), name=f"consumer {i}") for i in range(3)]
    sleeper = asyncio.create_task(sleep_long(), name="sleeper")
    tasks += [sleeper, asyncio.create_task(wait_for_task(sleeper), name="waiter"),
              asyncio.create_task(wait_for_all(), name="gatherer")]
    if busy:
        tasks.append(asyncio.create_task(compute(), name="computer"))
    await asyncio.sleep(0.05)
    if not busy:
        print("ready", flush=True)
    await asyncio.wait(tasks)


asyncio.run(main(sys.argv[1:] == ["busy"]))
