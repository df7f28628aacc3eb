#include "every.h"

#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

extern char** environ;
extern __typeof__(fork) __fork;
extern __typeof__(wait) __wait;
extern __typeof__(waitpid) __waitpid;

static pid_t child(pid_t pid) {
  if (pid == 0) _exit(0);
  return pid;
}

static void fork_and_wait(void) {
  int status, terminal;
  struct rusage usage;
  siginfo_t info;
  child(CALL(fork));
  CALL(wait, &status);
  CALL(waitpid, child(CALL(fork)), &status, 0);
  child(CALL(_Fork));
  CALL(wait3, &status, 0, &usage);
  child(CALL(_Fork));
  CALL(wait4, -1, &status, 0, &usage);
  child(ALIAS(__fork, fork));
  CALL(waitid, P_ALL, 0, &info, WEXITED);
  child(ALIAS(__fork, fork));
  ALIAS(__wait, wait, &status);
  const pid_t in_terminal = child(CALL(forkpty, &terminal, NULL, NULL, NULL));
  if (in_terminal > 0) CALL(close, terminal);
  ALIAS(__waitpid, waitpid, in_terminal, &status, 0);
}

static void run_programs(void) {
  char* arguments[] = {"true", NULL};
  pid_t pid = -1;
  CALL(posix_spawn, &pid, "/bin/true", NULL, NULL, arguments, environ);
  CALL(waitpid, pid, NULL, 0);
  CALL(posix_spawnp, &pid, "true", NULL, NULL, arguments, environ);
  CALL(waitpid, pid, NULL, 0);
  if (CALL(system, "true") != 0) exit(4);
  CALL(pclose, CALL(popen, "true", "r"));
}

void call_processes(void) {
  fork_and_wait();
  run_programs();
  CALL(ptrace, PTRACE_CONT, -1, NULL, NULL);
  CALL(unshare, 0);
  CALL(setns, -1, 0);
  char here[8], there[8] = "";
  const struct iovec local = {here, sizeof here}, remote = {there, sizeof there};
  CALL(process_vm_readv, getpid(), &local, 1, &remote, 1, 0);
  CALL(process_vm_writev, getpid(), &local, 1, &remote, 1, 0);
  CALL(syscall, SYS_getpid);
  int word = 0;
  count("syscall", "futex");
  syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
  count("io_uring_enter", "io_uring_enter");
  syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0);
}
