"""Three processes that wait for the end of their server at a pipe to which it never writes. Prints a line when they wait."""
import os
import select
import time

end, _server = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        os.close(_server)
        watched = select.epoll()
        watched.register(end, select.EPOLLIN)
        watched.poll()
        os._exit(0)
print("ready", flush=True)
time.sleep(1000)
