"""Two threads that each hold a lock of Python and want the other's. Prints a line when both hold theirs; the main thread
waits for them."""
import threading

first, second = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def forwards():
    with first:
        both.wait()
        print("holds first", flush=True)
        with second:
            pass


def backwards():
    with second:
        both.wait()
        print("holds second", flush=True)
        with first:
            pass


threads = [threading.Thread(target=each, daemon=True) for each in (forwards, backwards)]
for each in threads:
    each.start()
for each in threads:
    each.join()
