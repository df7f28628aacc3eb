/* Calls every function that prof wraps with arguments that cannot be right: null, a small number,
 * memory that cannot be read or written. Each call is made in a separate child process, in a signal
 * handler on a small stack. Prints what came of it: result and errno, or the signal. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kRoom = 4096, kWait = 4, kGuard = 1 << 20 };

struct Function {
  const char* name;
  const char* result; /* its type */
};

static const struct Function kFunctions[] = {
#define OSRT(name, ret, params, args, category, flags, version) {#name, #ret},
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) {#symbol, #ret},
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "common/wire/functions/osrt.def"
    {"system", "int"},       {"popen", "FILE*"},     {"posix_spawn", "int"},
    {"posix_spawnp", "int"}, {"execve", "int"},      {"execveat", "int"},
    {"execv", "int"},        {"execvp", "int"},      {"execvpe", "int"},
    {"fexecve", "int"},      {"setrlimit", "int"},   {"setrlimit64", "int"},
    {"prlimit", "int"},      {"prlimit64", "int"},   {"mlockall", "int"},
    {"sigaction", "int"},    {"sigprocmask", "int"}, {"pthread_sigmask", "int"},
    {"sigaltstack", "int"},  {"sigignore", "int"},   {"pthread_setname_np", "int"},
    {"dlclose", "int"},      {"syscall", "long"},
};

/* They wait, make children, or change more than this process. */
static const char* const kLeftOut[] = {"msgctl", /* 0: removes the queue 0 of the machine */
                                       "semctl",
                                       "shmctl",
                                       "pause",
                                       "sigwait",
                                       "fork",
                                       "__fork",
                                       "_Fork",
                                       "forkpty",
                                       "kill",
                                       "killpg",
                                       "tgkill",
                                       "sigqueue",
                                       "pthread_sigqueue",
                                       "pthread_kill",
                                       "ptrace",
                                       "sync",
                                       "acct",
                                       "pthread_yield",
                                       "sleep",
                                       "usleep",
                                       "wait",
                                       "waitpid",
                                       "wait3",
                                       "wait4",
                                       "waitid",
                                       "__wait",
                                       "__waitpid",
                                       "poll",
                                       "__poll",
                                       "ppoll",
                                       "select",
                                       "__select",
                                       "pselect",
                                       "swapoff",
                                       "swapon",
                                       "unshare",
                                       "setns",
                                       "initgroups",
                                       "fcloseall",
                                       "getchar",
                                       "getchar_unlocked",
                                       "fflush",
                                       "fflush_unlocked",
                                       "_IO_fflush",
                                       "getrandom",
                                       "thrd_yield",
                                       "sched_yield",
                                       "__sched_yield",
                                       "closefrom",
                                       "close_range",
                                       "msgget",
                                       "semget",
                                       "shmget",
                                       "__ppoll_chk",
                                       "epoll_wait",
                                       "epoll_pwait",
                                       "epoll_pwait2",
                                       "tmpfile",
                                       "tmpfile64"};

struct Outcome {
  int done;
  long result;
  int error;
};

static struct Outcome* g_outcome;
static void* g_function;
static long g_argument;

static void on_signal(int number) {
  (void)number;
  const long x = g_argument;
  long (*const call)(long, long, long, long, long, long) =
      (long (*)(long, long, long, long, long, long))g_function;
  errno = 0;
  const long result = call(x, x, x, x, x, x);
  g_outcome->error = errno;
  g_outcome->result = result;
  g_outcome->done = 1;
}

static void call_on_small_stack(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = ((size_t)sysconf(_SC_MINSIGSTKSZ) + kRoom + page - 1) / page * page;
  char* memory = mmap(NULL, bytes + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + kGuard, bytes, PROT_READ | PROT_WRITE);
  const stack_t stack = {.ss_sp = memory + kGuard, .ss_size = bytes};
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) _exit(90);
  alarm(kWait);
  raise(SIGUSR1);
  _exit(91);
}

static int is_left_out(const char* name) {
  for (size_t i = 0; i < sizeof kLeftOut / sizeof *kLeftOut; ++i)
    if (strcmp(kLeftOut[i], name) == 0) return 1;
  return 0;
}

static void print_outcome(const struct Function* function, const char* what, int status) {
  printf("%s %s:", function->name, what);
  if (WIFSIGNALED(status)) {
    printf(" signal %d\n", WTERMSIG(status));
    return;
  }
  if (!g_outcome->done) {
    printf(" status %d\n", WEXITSTATUS(status));
    return;
  }
  const long result =
      strcmp(function->result, "int") == 0 ? (long)(int)g_outcome->result : g_outcome->result;
  if (strcmp(function->result, "void") == 0)
    printf(" void");
  else if (result > -4096 && result < 4096)
    printf(" %ld", result);
  else
    printf(" a large number");
  printf(", errno %d\n", g_outcome->error);
}

static void try_call(const struct Function* function, const char* what, long argument) {
  g_function = dlsym(RTLD_DEFAULT, function->name);
  if (g_function == NULL) return;
  g_argument = argument;
  memset(g_outcome, 0, sizeof *g_outcome);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) call_on_small_stack();
  int status = -1;
  waitpid(child, &status, 0);
  print_outcome(function, what, status);
}

int main(void) {
  /* At the same place each time, because some functions take a part of it for a number. */
  char* memory = mmap((void*)0x1050000000, 1 << 16, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) return 3;
  /* Descriptor 0 is changed, too: fchmod(0, 0) as root would take /dev/null from all users. */
  const int own = memfd_create("input", MFD_CLOEXEC);
  if (own < 0 || dup2(own, STDIN_FILENO) != STDIN_FILENO) return 4;
  g_outcome =
      mmap(NULL, sizeof *g_outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof kFunctions / sizeof *kFunctions; ++i) {
    if (is_left_out(kFunctions[i].name)) continue;
    try_call(&kFunctions[i], "null", 0);
    try_call(&kFunctions[i], "8", 8);
    try_call(&kFunctions[i], "no memory", (long)(memory + (1 << 15)));
  }
  return 0;
}
