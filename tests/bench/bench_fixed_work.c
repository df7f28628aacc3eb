// Does the same work in every run, 30 frames deep. Prints the wall and CPU time in seconds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long g_sink;

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void deep(int depth) {
  if (depth > 0)
    deep(depth - 1);
  else
    for (int i = 0; i < 20000; ++i) g_sink += (unsigned long)i * 3;
  g_sink++;  // no tail call
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 100000;
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < rounds; ++i) deep(30);
  printf("%.6f %.6f\n", seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  return 0;
}
