/* Uses up all descriptors, chooses its own descriptor numbers, and closes any of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLimit = 40 };

static int is_file(int fd, dev_t device, ino_t inode) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

static void write_many(int fd, int count) {
  for (int i = 0; i < count; ++i)
    if (write(fd, "x", 1) != 1) _exit(3);
}

int main(void) {
  const struct rlimit limits = {kLimit, kLimit};
  if (setrlimit(RLIMIT_NOFILE, &limits) != 0) return 2;
  const int null = open("/dev/null", O_WRONLY);
  struct stat info;
  fstat(null, &info);
  int used = 0;
  while (dup(null) >= 0) ++used; /* all of them */
  const int full = errno == EMFILE;
  write_many(null, 5000);
  /* this child cannot open anything */
  const pid_t child = fork();
  if (child == 0) {
    write_many(null, 10);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  /* the program may use every number, also one that a profiler would like to use */
  int kept = 0;
  for (int fd = 3; fd < kLimit; ++fd) kept += is_file(fd, info.st_dev, info.st_ino);
  srand(1);
  for (int i = 0; i < 2000; ++i) {
    const int fd = 4 + rand() % (kLimit - 4);
    if (rand() % 2 == 0)
      close(fd);
    else if (dup2(null, fd) != fd || !is_file(fd, info.st_dev, info.st_ino))
      return 4;
  }
  write_many(null, 3000);
  printf("used %d full %d kept %d child %d\n", used, full, kept, WEXITSTATUS(status));
  printf("{\"write\": 8010}\n");
  return 0;
}
