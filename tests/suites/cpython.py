"""CPython's own tests: the modules about processes, threads, signals and I/O."""
import re
import subprocess

import junit
from suite import Part

MODULES = """
test_subprocess test_threading test_signal test_asyncio test_multiprocessing_fork
test_multiprocessing_spawn test_multiprocessing_forkserver test_multiprocessing_main_handling test_socket test_os
test_posix test_io test_select test_poll test_epoll test_ssl test_fork1 test_wait3 test_wait4 test_popen test_mmap
test_fcntl test_ioctl test_selectors test_queue test_concurrent_futures test_thread test_threading_local
test_threadsignals test_threadedtempfile test_socketserver test_logging test_shutil test_pty test_eintr
test_faulthandler test_tempfile test_file test_fileio test_bufio test_largefile test_pathlib test_sqlite3 test_sqlite
test_dbm test_dbm_dumb test_dbm_gnu test_dbm_sqlite3 test_resource test_pwd test_grp test_venv test_support test_time
test_timeout test_tarfile test_zipfile test_glob test_posixpath test_getpass test_cmd_line test_cmd_line_script
test_atexit test_sys test_sched test_httpservers test_urllib2_localnet test_smtplib test_ftplib
test_poplib test_imaplib test_xmlrpc test_wsgiref test_docxmlrpc test_fileinput test_openpty test_syslog test_stat
test_ctypes test_repl test_doctest test_zipimport
test_readline test_mailbox test_uuid test_tracemalloc test_gc
""".split()

LIMIT = 900
EXPLAINED = {}
# Without these resources regrtest skips these modules; "network" is a server on this machine. "cpu" is not
# enabled for all modules, because a test of test_threading then never ends on a busy machine, even without
# prof.
RESOURCES = {"test_eintr": "walltime", "test_socketserver": "network", "test_httpservers": "network"}


def outcomes(log, scratch):
    """The XML lacks failures of subtests, but the log names them."""
    result = junit.cases(scratch / "results.xml", lambda case: re.sub(
        r"0x[0-9a-f]+", "0x", case.get("name") or "(failed in a subtest)"))
    for kind, name in re.findall(r"^(FAIL|ERROR): (.*)$", log, re.M):
        result[f"log: {name}"] = kind
    for line in re.findall(r"^(test_\S+ (?:skipped|crashed|failed).*)$", log, re.M):
        result[f"log: {line.split()[0]}"] = re.sub(r" in .*", "", line)
    return result


def parts(arguments):
    python = arguments.python
    folder = subprocess.run([python, "-c", "import test; print(test.__path__[0])"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout.strip()
    listed = subprocess.run([python, "-m", "test", "--list-tests"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.split()
    there = {name.split(".")[-1] if name.startswith("test.") else name for name in listed}
    there |= {name.split(".")[1] for name in listed if name.startswith("test.") and name.count(".") > 1}
    chosen = [name for name in dict.fromkeys(MODULES) if name in there]
    print(f"the tests in {folder}")
    return [Part(name, [python, "-m", "test", "-u", RESOURCES.get(name, "none"), "--junit-xml",
                        "{scratch}/results.xml", "--tempdir", "{scratch}/tmp", name], outcomes, LIMIT)
            for name in chosen]
