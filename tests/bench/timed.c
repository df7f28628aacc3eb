// Runs a command several times, one after another, and writes the times to a file. So the cost for
// a program is measured without the start and the end of the profiler.
//
//  timed FILE COUNT COMMAND...      FILE gets: start end user system parent, in seconds; start and
//  end are of CLOCK_MONOTONIC. `parent` is the processor time that the parent, which may be prof,
//  used in the meantime. Exits with the status of the last run.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double of_parent(void) {
  clockid_t clock;
  struct timespec time = {0, 0};
  if (clock_getcpuclockid(getppid(), &clock) == 0) clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char** words) {
  if (count < 4) return 2;
  int status = 0;
  const double parent = of_parent();
  const double start = now();
  for (int i = atoi(words[2]); i > 0; i--) {
    pid_t pid;
    if (posix_spawnp(&pid, words[3], NULL, NULL, words + 3, environ) != 0) return 127;
    waitpid(pid, &status, 0);
  }
  const double end = now();
  const double by_parent = of_parent() - parent;
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  FILE* file = fopen(words[1], "w");
  if (file == NULL) return 2;
  fprintf(file, "%.6f %.6f %.6f %.6f %.6f\n", start, end, seconds(usage.ru_utime),
          seconds(usage.ru_stime), by_parent);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
