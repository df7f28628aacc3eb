/* Starts children with its own environments. argv[1] names the way. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 2) return 2;
  char* empty[] = {NULL};
  char* other_preload[] = {"LD_PRELOAD=libm.so.6", "ONLY=this", NULL};
  char* arguments[] = {"env", NULL};
  if (strcmp(words[1], "execve") == 0) execve("/usr/bin/env", arguments, empty);
  if (strcmp(words[1], "execle") == 0) execle("/usr/bin/env", "env", (char*)NULL, empty);
  if (strcmp(words[1], "execvpe") == 0) execvpe("env", arguments, empty);
  if (strcmp(words[1], "preload") == 0) execve("/usr/bin/env", arguments, other_preload);
  if (strcmp(words[1], "clearenv") == 0) {
    clearenv();
    execv("/usr/bin/env", arguments);
  }
  if (strcmp(words[1], "spawn") == 0) {
    pid_t child;
    if (posix_spawn(&child, "/usr/bin/env", NULL, NULL, arguments, empty) != 0) return 3;
    waitpid(child, NULL, 0);
    return 0;
  }
  if (strcmp(words[1], "system") == 0) {
    clearenv();
    const int status = system("/usr/bin/env");
    return status == 0 && getenv("PROF_SESSION") == NULL ? 0 : 4;
  }
  return 5;
}
