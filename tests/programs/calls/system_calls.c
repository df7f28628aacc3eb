/* Makes system calls of known names and numbers in threads, children and programs that they exec.
 * Prints how many calls each made. `burst N` stops prof meanwhile, so that the kernel's buffer
 * overflows. `kill N` kills prof. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "expect.h"

enum { kThreads = 4, kUnknown = 999 };

static const char* g_self;

static void make(long number, int times) {
  for (int i = 0; i < times; ++i) syscall(number);
}

static void on_signal(int signal) { (void)signal; }

static void* in_thread(void* which) {
  const int n = (int)(size_t)which;
  if (n == 0) pthread_setname_np(pthread_self(), "first of four");
  make(SYS_getsid, 100 + n);
  make(SYS_sched_yield, 10);
  return (void*)(size_t)thread_id();
}

static void* exec_in_thread(void* unused) {
  execl(g_self, g_self, "again", "55", (char*)NULL);
  return unused;
}

static void wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) _exit(9);
}

static pid_t fork_and(int how) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (how == 0) make(SYS_getegid, 33);
  if (how == 1) {
    make(SYS_getsid, 5);
    execl(g_self, g_self, "again", "44", (char*)NULL);
  }
  if (how == 2) {
    pthread_t thread;
    pthread_create(&thread, NULL, exec_in_thread, NULL);
    pthread_join(thread, NULL);
    _exit(8);
  }
  _exit(0);
}

static void nap(long ns) {
  const struct timespec time = {0, ns};
  syscall(SYS_nanosleep, &time, NULL);
}

int main(int argc, char** argv) {
  g_self = argv[0];
  if (argc == 3 && strcmp(argv[1], "again") == 0) {
    make(SYS_getegid, atoi(argv[2]));
    return 0;
  }
  if (argc == 3) {
    const int burst = strcmp(argv[1], "burst") == 0;
    const pid_t prof = getppid();
    if (burst) kill(prof, SIGSTOP);
    make(SYS_getsid, atoi(argv[2]));
    if (!burst) nap(300000000); /* until it has taken them */
    kill(prof, burst ? SIGCONT : SIGKILL);
    return 0;
  }
  signal(SIGUSR1, on_signal);
  make(SYS_getegid, 100);
  make(kUnknown, 3);
  for (int i = 0; i < 7; ++i) raise(SIGUSR1);
  nap(20000000);
  pthread_t threads[kThreads];
  void* tids[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, in_thread, (void*)i);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], &tids[i]);
  pid_t children[3];
  for (int how = 0; how < 3; ++how) wait_for(children[how] = fork_and(how));

  printf("{\"pid\": %d, \"threads\": {", getpid());
  for (int i = 0; i < kThreads; ++i)
    printf("%s\"%d\": {\"getsid\": %d, \"sched_yield\": 10}", i ? ", " : "", (int)(size_t)tids[i],
           100 + i);
  printf(
      "}, \"main\": {\"getegid\": 100, \"syscall_%d\": 3, \"rt_sigreturn\": 7, \"nanosleep\": 1, "
      "\"wait4\": 3}, \"children\": {\"%d\": {\"getegid\": 33, \"exit_group\": 1}, "
      "\"%d\": {\"getegid\": 44, \"getsid\": 5, \"execve\": 1}, "
      "\"%d\": {\"getegid\": 55, \"execve\": 1}}}\n",
      kUnknown, children[0], children[1], children[2]);
  return 0;
}
