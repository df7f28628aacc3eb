/* Becomes a daemon in the way that argv[1] names, and works on long after the program that the
 * profiler started has ended. The daemon writes its JSON object to the file argv[2]. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "expect.h"

static void detach(void) {
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  if (chdir("/") != 0) _exit(3);
  umask(027);
}

static int close_everything(int with_range) {
  if (with_range) return close_range(0, ~0U, 0);
  int open_above = 0;
  for (int fd = 0; fd < 1024; ++fd) open_above += close(fd) == 0 && fd > 2;
  return open_above;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const pid_t started = getpid();
  int left_open = 0;
  if (strcmp(words[1], "daemon") == 0) {
    if (daemon(0, 0) != 0) return 3;
  } else {
    detach();
    left_open = close_everything(strcmp(words[1], "close_range") == 0);
  }
  usleep(300 * 1000); /* the parents are gone by now */
  const int null = open("/dev/null", O_RDWR);
  for (int i = 0; i < 40; ++i)
    if (write(null, "x", 1) != 1) return 4;
  const int file = open(words[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dprintf(file,
          "{\"started\": %d, \"daemon\": %d, \"parent\": %d, \"null\": %d, \"left_open\": %d}\n",
          (int)started, (int)getpid(), (int)getppid(), null, left_open);
  return 0;
}
