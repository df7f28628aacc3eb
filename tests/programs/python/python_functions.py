"""Calls functions of the module "known" in many ways. Prints how many ranges of each must be there, and what
Python's introspection says about the functions. With the argument "plain" no function is expected to be
wrapped."""
import asyncio
import collections
import concurrent.futures
import importlib
import inspect
import json
import multiprocessing
import os
import pickle
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))

import known
from known import plain as by_name

expected = collections.Counter()


def called(name, result, wanted, times=1):
    assert result == wanted, (name, result)
    expected["known." + name] += times


def functions():
    called("plain", by_name(1, b=3), 4)
    called("outer", known.outer(), 7)
    expected["known.plain"] += 2
    try:
        known.fails()
    except ValueError as error:
        called("fails", str(error), "as it should")
        frames = [frame.name for frame in inspect_frames(error)]
        assert frames[-1] == "fails", frames
    called("cached", [known.cached(1), known.cached(1), known.cached.cache_info().hits], [1, 1, 1], 2)
    called("decorated", known.decorated(), "decorated")
    assert known.entered == ["plain"] * 3


def inspect_frames(error):
    import traceback
    return traceback.extract_tb(error.__traceback__)


def methods():
    thing = known.Thing()
    called("Thing.method", thing.method(), "method")
    called("Thing.static", known.Thing.static() + thing.static(), "staticstatic", 2)
    called("Thing.of_class", known.Thing.of_class(), "Thing")
    called("Thing.attribute", thing.attribute, "attribute")
    called("Thing.__call__", thing(), "called")
    called("Thing.inherited", thing.inherited(), "Thing")
    assert known.Base().inherited() == "Base"  # not shown: only the function of the subclass was named


def generators():
    one, two = known.generator(), known.generator()
    assert [next(one), next(two), one.send(7), two.throw(KeyError())] == [1, 1, 7, "thrown"]
    one.close()  # the generator has ended, so it does not run: GeneratorExit
    assert list(two) == []
    expected["known.generator"] += 5


async def async_parts():
    called("coroutine", await known.coroutine(), 5, 2)
    steps = known.async_generator()
    assert [await steps.__anext__(), await steps.asend(8)] == [1, 8]
    await steps.aclose()
    expected["known.async_generator"] += 4
    assert [item async for item in known.async_generator()] == [1, None]
    expected["known.async_generator"] += 5
    assert sum(await asyncio.gather(*(known.coroutine() for _ in range(3)))) == 15
    expected["known.coroutine"] += 6


def threads():
    workers = [threading.Thread(target=known.in_thread) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    expected["known.in_thread"] += 3


def what_python_says():
    assert inspect.isgeneratorfunction(known.generator)
    assert inspect.iscoroutinefunction(known.coroutine)
    assert inspect.isasyncgenfunction(known.async_generator)
    assert pickle.loads(pickle.dumps(known.plain)) is known.plain is by_name
    assert pickle.loads(pickle.dumps(known.Thing.static)) is known.Thing.static
    return [str(inspect.signature(known.plain)), known.plain.__doc__, known.plain.__name__,
            known.Thing.method.__qualname__, known.plain.__module__, inspect.getsource(known.plain),
            known.Thing.attribute.__doc__, type(known.__loader__).__name__, known.__spec__.origin,
            sorted(vars(known.__loader__)), sys.argv[1:]]


def in_child(_):
    return known.plain(1)


def children():
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(known.plain, [1]) == [3] and pool.map(in_child, [1]) == [3]
        expected["known.plain"] += 2


def main():
    functions()
    methods()
    generators()
    asyncio.run(async_parts())
    threads()
    says = what_python_says()
    children()
    importlib.reload(known)
    called("plain", known.plain(1), 3)
    print(json.dumps({"ranges": expected, "says": says}))


if __name__ == "__main__":
    main()
