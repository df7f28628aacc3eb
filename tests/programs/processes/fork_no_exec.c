/* Forks children and grandchildren that never exec. All must be in the report. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/wait.h>

#include "expect.h"

static void work(int count) {
  const int fd = open("/dev/null", O_WRONLY);
  for (int i = 0; i < count; ++i)
    if (write(fd, "x", 1) != 1) _exit(3);
}

int main(void) {
  work(5);
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return 3;
  const pid_t child = fork();
  if (child == 0) {
    work(10);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      work(15);
      _exit(0);
    }
    if (write(pipe_ends[1], &grandchild, sizeof grandchild) < 0) _exit(3);
    waitpid(grandchild, NULL, 0);
    _exit(0);
  }
  pid_t grandchild = 0;
  if (read(pipe_ends[0], &grandchild, sizeof grandchild) < 0) return 3;
  waitpid(child, NULL, 0);
  printf("{\"parent\": %d, \"child\": %d, \"grandchild\": %d}\n", (int)getpid(), (int)child,
         (int)grandchild);
  return 0;
}
