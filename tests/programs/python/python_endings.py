"""Calls the CUDA API while the interpreter is torn down: from daemon threads that still run, exit handlers,
objects that die late, and subinterpreters. The exit status must always be 0."""
import atexit
import ctypes
import sys
import threading

cuda = ctypes.CDLL(sys.argv[1])
held = ctypes.PyDLL(sys.argv[1])
cuda.fake_time_launches.restype = held.fake_time_launches.restype = ctypes.c_double

IN_SUBINTERPRETER = f"""
import ctypes
def inside():
    ctypes.CDLL({sys.argv[1]!r}).fake_launch()
inside()
"""


begun = threading.Semaphore(0)


def for_ever():
    cuda.fake_time_launches(1000)
    begun.release()
    while True:
        cuda.fake_time_launches(1000)


class Late:
    def __del__(self):
        held.fake_launch()
        cuda.fake_launch()


def at_exit():
    cuda.fake_launch()


def subinterpreter():
    try:
        import _interpreters
        number = _interpreters.create("legacy")
    except ImportError:
        try:
            import _xxsubinterpreters as _interpreters
        except ImportError:
            return
        number = _interpreters.create(isolated=False)
    _interpreters.run_string(number, IN_SUBINTERPRETER)
    _interpreters.destroy(number)


cuda.fake_init()
subinterpreter()
atexit.register(at_exit)
sys.late = Late()
for _ in range(2):
    threading.Thread(target=for_ever, daemon=True).start()
for _ in range(2):
    begun.acquire()
cuda.fake_time_launches(2000)
