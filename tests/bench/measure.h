/* Time for each operation: the minimum over short runs, which is a run without interruption.
 * Pauses between them let the collector catch up, so that its speed is not measured. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double measure(void (*run)(long), long operations) {
  double best = 1e18;
  run(1000);
  for (int round = 0; round < 15; ++round) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC_RAW, &from);
    run(operations);
    clock_gettime(CLOCK_MONOTONIC_RAW, &to);
    const double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    if (ns / (double)operations < best) best = ns / (double)operations;
    const struct timespec pause = {0, 20000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
  }
  return best;
}

static inline void report(const char* name, double value) { printf("%s %.2f\n", name, value); }
