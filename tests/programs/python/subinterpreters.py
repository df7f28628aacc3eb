"""Works 0.8 s in a subinterpreter, on a thread or on the main thread. Usage: subinterpreters.py thread|main"""
import sys
import threading
import time

try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string

CODE = """
import time
def in_sub(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
end = time.time() + 0.8
while time.time() < end:
    in_sub(20000)
"""


def starts_it():
    run(interpreter, CODE)


def in_main(end):
    while time.time() < end:
        sum(i * i for i in range(20000))


interpreter = interpreters.create()
if sys.argv[1] == "thread":
    thread = threading.Thread(target=starts_it)
    thread.start()
    thread.join()
else:
    starts_it()
in_main(time.time() + 0.4)
interpreters.destroy(interpreter)
