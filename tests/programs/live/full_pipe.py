"""Waits for the end of a child process that writes more than a pipe holds: python3 full_pipe.py HOW. If HOW is "read", a
second thread reads the pipe from time to time. If it is "held", another process has the pipe open, too. "unclosed": the
child process reads what its parent does not write, and waits for the end of its input."""
import subprocess
import sys
import threading
import time

how = sys.argv[1]


def read_slowly(pipe):
    while pipe.read(100):
        time.sleep(1)


def convert():
    if how == "unclosed":
        child = subprocess.Popen(["sh", "-c", "cat; true"], stdin=subprocess.PIPE)
    else:
        child = subprocess.Popen(["sh", "-c", "yes; true"], stdout=subprocess.PIPE)
    print(child.pid, flush=True)
    if how == "read":
        threading.Thread(target=read_slowly, args=(child.stdout,)).start()
    if how == "held":
        subprocess.run(["sh", "-c", "exec 3<&0; sleep 1000 &"], stdin=child.stdout, check=True)
    return child.wait()


convert()
