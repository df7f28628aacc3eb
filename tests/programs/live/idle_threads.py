"""Twelve threads that wait for different conditions of Python. Prints a line when all have been started."""
import threading

threads = [threading.Thread(target=threading.Event().wait, daemon=True) for _ in range(12)]
for each in threads:
    each.start()
print("ready", flush=True)
for each in threads:
    each.join()
