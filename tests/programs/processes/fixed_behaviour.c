/* Prints what a program can find out about its own process. It must be the same with and without a
 * profiler. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int count_entries(const char* path) {
  DIR* directory = opendir(path);
  int count = 0;
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

int main(void) {
  printf("descriptors %d\n", count_entries("/proc/self/fd"));
  printf("threads %d\n", count_entries("/proc/self/task"));
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0)
      printf("signal %d %d %d\n", signal, sigismember(&mask, signal),
             action.sa_handler == SIG_DFL   ? 0
             : action.sa_handler == SIG_IGN ? 1
                                            : 2);
  }
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  printf("limit %lu\n", (unsigned long)limit.rlim_cur);
  printf("dumpable %d tty %d %d %d\n", prctl(PR_GET_DUMPABLE), isatty(0), isatty(1), isatty(2));
  printf("group %d session %d\n", getpgrp() == getpgid(getppid()), getsid(0) == getsid(getppid()));
  errno = 42;
  if (write(-1, "", 1) != -1 || errno != EBADF) return 3;
  errno = 42;
  usleep(2000);
  printf("errno %d\n", errno);
  return 0;
}
