"""Functions of all kinds, for --python-functions-trace."""
import asyncio
import functools
import threading

entered = []  # names of the functions that ran, in order


def plain(a, b=2):
    "Adds."
    entered.append("plain")
    return a + b


def outer():
    return plain(1) + plain(2)


def fails():
    raise ValueError("as it should")


def generator():
    """Three runs."""
    try:
        got = yield 1
    except KeyError:
        got = "thrown"
    yield got


async def coroutine():
    """Two runs."""
    await asyncio.sleep(0)
    return 5


async def async_generator():
    """Three runs, and two more because of the awaits in between."""
    await asyncio.sleep(0)
    got = yield 1
    await asyncio.sleep(0)
    yield got


class Base:
    def inherited(self):
        return type(self).__name__


class Thing(Base):
    def method(self):
        return "method"

    @staticmethod
    def static():
        return "static"

    @classmethod
    def of_class(cls):
        return cls.__name__

    @property
    def attribute(self):
        return "attribute"

    def __call__(self):
        return "called"


@functools.lru_cache(maxsize=None)
def cached(x):
    return x


def decorator(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner


@decorator
def decorated():
    return "decorated"


def in_thread():
    return threading.get_native_id()
