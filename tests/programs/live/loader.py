"""A training loop that waits for a worker process, which hangs in prepare_item()."""
import multiprocessing
import time


def prepare_item(number):
    if number == 2:
        time.sleep(1e6)
    return number


def worker(items, batches):
    while True:
        batches.put(prepare_item(items.get()))


def next_batch(batches):
    return batches.get()


def main():
    context = multiprocessing.get_context("fork")
    items, batches = context.Queue(), context.Queue()
    process = context.Process(target=worker, args=(items, batches), daemon=True)
    process.start()
    for number in range(3):
        items.put(number)
    print(process.pid, flush=True)
    for _ in range(3):
        next_batch(batches)
        print("batch", flush=True)


if __name__ == "__main__":
    main()
