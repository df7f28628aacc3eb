"""Two threads that each hold a lock of Python and want the other's. Prints the id of each thread when both hold theirs;
the main thread waits for them. Arguments: Lock or RLock; with or acquire."""
import os
import sys
import threading

kind, way = sys.argv[1:]
first, second = (getattr(threading, kind)() for _ in range(2))
both = threading.Barrier(2)


def report():
    """Writes the line at once, so that the lines of two threads do not mix."""
    os.write(1, f"{threading.current_thread().name} {threading.get_native_id()}\n".encode())


def hold_and_want(held, wanted):
    if way == "with":
        with held:
            both.wait()
            report()
            with wanted:
                pass
    else:
        held.acquire()
        both.wait()
        report()
        wanted.acquire()


def forwards():
    hold_and_want(first, second)


def backwards():
    hold_and_want(second, first)


threads = [threading.Thread(target=each, name=each.__name__, daemon=True) for each in (forwards, backwards)]
for each in threads:
    each.start()
for each in threads:
    each.join()
