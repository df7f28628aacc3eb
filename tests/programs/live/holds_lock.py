"""A thread holds Python's interpreter lock in a long C call; another one wants it. Prints the ids of both."""
import ctypes
import threading
import time

BEGUN = threading.Event()


def hold():
    with_lock = ctypes.PyDLL(None)  # calls its functions without giving the lock back
    print(threading.get_native_id(), flush=True)
    BEGUN.set()
    with_lock.sleep(1000)


def want():
    print(threading.get_native_id(), flush=True)
    BEGUN.wait()
    while True:
        time.sleep(0.01)


threading.Thread(target=want, daemon=True).start()
time.sleep(0.1)
hold()
