"""Two threads that use a lock in turn. The second one has used it and has left its `with` statement when the third one
holds it without such a statement. Prints the ids of the three."""
import os
import threading
import time

lock = threading.Lock()
used = threading.Event()


def report(name):
    """Writes the line at once, so that the lines of two threads do not mix."""
    os.write(1, f"{name} {threading.get_native_id()}\n".encode())


def user():
    with lock:
        pass
    report("user")
    used.set()
    time.sleep(1000)


def holder():
    used.wait()
    lock.acquire()
    report("holder")
    time.sleep(1000)


def waiter():
    used.wait()
    time.sleep(0.2)
    report("waiter")
    with lock:
        pass


for each in (user, holder, waiter):
    threading.Thread(target=each, daemon=True).start()
time.sleep(1000)
