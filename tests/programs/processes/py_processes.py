"""Starts children in every way that Python offers. Each calls sendfile three times; nothing else here does."""
import asyncio
import concurrent.futures
import json
import multiprocessing
import os
import subprocess
import sys

HERE = os.path.abspath(__file__)


def work(_=None):
    source, target = os.open(HERE, os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
    for _ in range(3):
        os.sendfile(target, source, 0, 1)
    return os.getpid()


def forked():
    child = os.fork()
    if child == 0:
        work()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    return child


def processes(method):
    context = multiprocessing.get_context(method)
    children = [context.Process(target=work) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    return [child.pid for child in children]


def pool(method):
    """Each worker process gets one task, so the numbers are known."""
    with multiprocessing.get_context(method).Pool(2, maxtasksperchild=1) as workers:
        return sorted(set(workers.map(work, range(4), chunksize=1)))


def futures():
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        return [executor.submit(work).result()]


async def from_asyncio():
    child = await asyncio.create_subprocess_exec(sys.executable, HERE, "child")
    assert await child.wait() == 5
    return child.pid


def popen(**options):
    child = subprocess.Popen([sys.executable, HERE, "child"], **options)
    assert child.wait() == 5
    return child.pid


def main():
    children = {"os.fork": [forked()], "asyncio": [asyncio.run(from_asyncio())], "futures": futures(),
                "posix_spawn": [os.posix_spawn(sys.executable, [sys.executable, HERE, "child"], {})],
                "subprocess": [popen(close_fds=False), popen(env={}), popen(start_new_session=True),
                               popen(preexec_fn=os.getpid), popen(cwd="/", umask=0o77)]}
    os.waitpid(children["posix_spawn"][0], 0)
    for method in ("fork", "spawn", "forkserver"):
        children[f"Process {method}"] = processes(method)
        children[f"Pool {method}"] = pool(method)
    print(json.dumps({"parent": os.getpid(), "children": children}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work()
        sys.exit(5)
    main()
