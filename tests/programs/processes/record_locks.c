// Usage: record_locks PROGRAM. Holds a record lock on the file PROGRAM, starts PROGRAM without
// arguments, and then lets another process check whether the lock is still held.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// Asks in another process, because a process never conflicts with its own locks.
static int is_held(int fd) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    _exit(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_RDLCK && lock.l_pid == getppid());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static void start(char* path, int (*spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                                           const posix_spawnattr_t*, char* const*, char* const*)) {
  char* arguments[] = {path, NULL};
  pid_t child = 0;
  int status = 0;
  if (spawn(&child, path, NULL, NULL, arguments, environ) == 0) waitpid(child, &status, 0);
}

int main(int count, char** words) {
  (void)count;
  const int fd = open(words[1], O_RDONLY | O_CLOEXEC);
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0) return 1;
  printf("held before: %d\n", is_held(fd));
  start(words[1], posix_spawn);
  printf("after posix_spawn: %d\n", is_held(fd));
  start(words[1], posix_spawnp);
  printf("after posix_spawnp: %d\n", is_held(fd));
  return 0;
}
