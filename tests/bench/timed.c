// Runs a command several times, one after another, and writes the times to a file. So the cost for
// a program is measured without the start and the end of the profiler.
//
//  timed FILE COUNT COMMAND...      FILE gets: start end user system, in seconds; start and end are
//  of CLOCK_MONOTONIC. Exits with the status of the last run.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int count, char** words) {
  if (count < 4) return 2;
  int status = 0;
  const double start = now();
  for (int i = atoi(words[2]); i > 0; i--) {
    pid_t pid;
    if (posix_spawnp(&pid, words[3], NULL, NULL, words + 3, environ) != 0) return 127;
    waitpid(pid, &status, 0);
  }
  const double end = now();
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  FILE* file = fopen(words[1], "w");
  if (file == NULL) return 2;
  fprintf(file, "%.6f %.6f %.6f %.6f\n", start, end, seconds(usage.ru_utime),
          seconds(usage.ru_stime));
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
