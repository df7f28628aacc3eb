/* Traces its child with ptrace and counts its system calls between two markers. Handles SIGSEGV,
 * blocks every signal, and drops its rights in a vfork child. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int g_null;
static char* g_page;

static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  if ((char*)info->si_addr != g_page) _exit(8);
  mprotect(g_page, 4096, PROT_READ | PROT_WRITE);
}

/* The tracer's count of the calls of write by the child. */
static int followed(void) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    for (int i = 0; i < 50; ++i)
      if (write(g_null, "x", 1) != 1) _exit(3);
    _exit(0);
  }
  int status = 0, writes = 0, entering = 1;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
  while (ptrace(PTRACE_SYSCALL, child, 0, 0) == 0 && waitpid(child, &status, 0) == child &&
         !WIFEXITED(status)) {
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, child, 0, &registers);
    if (entering && registers.orig_rax == SYS_write) ++writes;
    entering = !entering;
  }
  return writes;
}

int main(void) {
  g_null = open("/dev/null", O_WRONLY);
  sigset_t all;
  sigfillset(&all);
  printf("followed %d\n", followed());
  fflush(stdout);
  const pid_t child = vfork();
  if (child == 0) {
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(3);
    execl("/usr/bin/id", "id", "-u", (char*)NULL);
    _exit(4);
  }
  waitpid(child, NULL, 0);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  g_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_page[0] = 'x';
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int i = 0; i < 100; ++i)
    if (write(g_null, g_page, 1) != 1) return 3;
  printf("uids %d\n", getuid());
  printf("{\"write\": 100}\n");
  return 0;
}
