/* After vfork the child uses its parent's memory and thread state until it execs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "expect.h"

extern char** environ;

int main(void) {
  const int fd = open("/dev/null", O_WRONLY);
  const pid_t vforked = vfork();
  if (vforked == 0) {
    execl("/bin/cat", "cat", "/dev/null", (char*)NULL);
    _exit(127);
  }
  int status;
  waitpid(vforked, &status, 0);
  const pid_t failing = vfork();
  if (failing == 0) {
    execl("/no/such/program", "x", (char*)NULL);
    _exit(127);
  }
  waitpid(failing, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 127) return 4;
  pid_t spawned;
  char* arguments[] = {"cat", "/dev/null", NULL};
  if (posix_spawn(&spawned, "/bin/cat", NULL, NULL, arguments, environ) != 0) return 5;
  waitpid(spawned, &status, 0);
  if (system("cat /dev/null") != 0) return 6;
  FILE* stream = popen("echo popped", "r");
  char line[32];
  if (stream == NULL || fgets(line, sizeof line, stream) == NULL || pclose(stream) != 0) return 7;
  for (int i = 0; i < 50; ++i)
    if (write(fd, "x", 1) != 1) return 3;
  printf("{\"parent\": %d, \"vforked\": %d, \"spawned\": %d}\n", (int)getpid(), (int)vforked,
         (int)spawned);
  return 0;
}
