"""Calls the CUDA API (or a library function that takes long) from known lines, in all the ways in which Python
makes calls. Prints Python's own call chain at each call, innermost first. The first argument is the library's
path."""
import asyncio
import ctypes
import json
import multiprocessing
import os
import sys
import threading

DEEPEST = 128

cuda = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else os.environ["FAKE_CUDA_CALLS"])
held = ctypes.PyDLL(cuda._name)  # keeps the GIL
CALLBACK = ctypes.CFUNCTYPE(None)
expected = []


def note():
    """Stores the caller's frames, each as [function, file, line]."""
    frame = sys._getframe(1)
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    if len(frames) > DEEPEST:
        frames = frames[:DEEPEST] + [["[Max depth]", "[Unknown]", None]]
    expected.append({"tid": threading.get_native_id(), "pid": os.getpid(), "frames": frames})


def plain():
    note(), cuda.fake_launch()


def outer():
    def inner():
        note(), held.fake_launch()
    inner()


def over_lines():
    note(), cuda.fake_launch(
        )


def generator():
    for _ in range(2):
        note(), cuda.fake_launch()
        yield


def delegating():
    yield from generator()


class Thing:
    def method(self):
        note(), cuda.fake_launch()

    @property
    def attribute(self):
        note(), cuda.fake_launch()
        return 1

    def __lt__(self, other):
        note(), cuda.fake_launch()
        return False

    @staticmethod
    def static():
        note(), cuda.fake_launch()


async def coroutine():
    note(), cuda.fake_launch()
    await asyncio.sleep(0)
    note(), cuda.fake_launch()


async def several():
    await asyncio.gather(coroutine(), coroutine())


def in_flight():
    try:
        try:
            raise ValueError
        finally:
            note(), cuda.fake_launch()
    except ValueError:
        note(), cuda.fake_launch()


def recursive(depth):
    if depth == 0:
        note(), cuda.fake_launch()
    else:
        recursive(depth - 1)


def called_back():
    note(), cuda.fake_launch()


# Different code objects at the same addresses, one after the other.
def run_text(number):
    text = "\n" * number + f"def made_{number % 2}():\n  note(), cuda.fake_launch()\nmade_{number % 2}()\n"
    exec(compile(text, f"<made {number % 3}>", "exec"), {"note": note, "cuda": cuda})


def größe():
    note(), cuda.fake_launch()


def comprehensions():
    [(note(), cuda.fake_launch()) for _ in range(2)]
    list((note(), cuda.fake_launch()) for _ in range(2))
    (lambda: (note(), cuda.fake_launch()))()
    sorted([2, 1], key=lambda _: (note(), cuda.fake_launch()) and 0)
    sorted([Thing(), Thing()])
    list(map(lambda _: (note(), cuda.fake_launch()), [1]))


def child(answers):
    cuda.fake_init()
    note(), cuda.fake_launch()
    answers.put(expected[-1:])


def in_children(method):
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=child, args=(answers,))
    process.start()
    expected.extend(answers.get())
    process.join()


def everything():
    plain()
    outer()
    over_lines()
    list(generator())
    list(delegating())
    Thing().method()
    Thing().attribute
    Thing.static()
    asyncio.run(several())
    in_flight()
    for depth in (3, 200, 2000):
        recursive(depth)
    note(), cuda.fake_launch_around(CALLBACK(called_back))
    for number in range(12):
        run_text(number)
    größe()
    comprehensions()


def main():
    sys.setrecursionlimit(5000)
    cuda.fake_init()
    everything()
    threads = [threading.Thread(target=plain) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.environ["FAKE_CUDA_CALLS"] = cuda._name
    in_children("fork")
    in_children("spawn")
    for _ in range(50):
        plain()
    print(json.dumps(expected))


if __name__ == "__main__":
    main()
