/* Makes a child without libc: no atfork handler runs, and no wrapper sees it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "expect.h"

int main(void) {
  const int fd = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 5; ++i)
    if (write(fd, "x", 1) != 1) return 3;
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    for (int i = 0; i < 25; ++i)
      if (write(fd, "x", 1) != 1) _exit(3);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  printf("{\"parent\": %d, \"child\": %d}\n", (int)getpid(), (int)child);
  return 0;
}
