"""Uses the Python client of NVTX. Prints what must be found."""
import json
import threading
import time

import nvtx


@nvtx.annotate("decorated", color="blue", domain="py")
def decorated():
    time.sleep(0.001)


def worker():
    nvtx.push_range("in thread", domain="py")
    nvtx.pop_range(domain="py")


def main():
    for i in range(4):
        with nvtx.annotate(f"step {i}", category="steps", domain="py", payload=i):
            with nvtx.annotate("inner"):
                pass
    for _ in range(3):
        decorated()
    nvtx.push_range("pushed", color="green")
    nvtx.pop_range()
    handle = nvtx.start_range("started", domain="py")
    nvtx.mark("marked")
    nvtx.end_range(handle)
    thread = threading.Thread(target=worker)
    thread.start()
    thread.join()
    print(json.dumps({"steps": 4, "decorated": 3}))


if __name__ == "__main__":
    main()
