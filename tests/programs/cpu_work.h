/* Work of a known amount of CPU time. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Of the thread, ns: other programs do not change it much. */
static inline uint64_t cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static volatile uint64_t g_work;
static inline void work(uint64_t steps) {
  for (uint64_t i = 0; i < steps; ++i) g_work = i;
}

/* How many steps of work() take `ns`. */
static inline uint64_t steps_in(double ns) {
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const uint64_t start = cpu_time();
    work(1000000);
    const double rate = 1e6 / (double)(cpu_time() - start);
    if (rate > best) best = rate;
  }
  return (uint64_t)(ns * best);
}
