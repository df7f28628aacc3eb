// Prints what constructs of OpenMP cost, ns: the best of many rounds. Regions have one thread, and
// as many as there are CPUs, up to four.
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { kRounds = 20, kCalls = 500 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double best;
static void begin_best(void) { best = 1e18; }
static void add(double begin, int calls) {
  const double each = (now() - begin) / calls;
  if (each < best) best = each;
}

static int sink;

static void region(int threads) {
  begin_best();
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now();
    for (int i = 0; i < kCalls / threads; ++i)
#pragma omp parallel num_threads(threads)
      __asm__ volatile("" : : : "memory");
    add(begin, kCalls / threads);
  }
  printf("region_%d %.1f\n", threads, best);
}

// In a region of one thread, so nobody else holds the lock.
#define PRICE(name, ...)                            \
  static void name(void) {                          \
    begin_best();                                   \
    for (int round = 0; round < kRounds; ++round) { \
      const double begin = now();                   \
      for (int i = 0; i < kCalls; ++i) __VA_ARGS__; \
      add(begin, kCalls);                           \
    }                                               \
    printf(#name " %.1f\n", best);                  \
  }

static omp_lock_t lock;
#define PRAGMA(text) _Pragma(#text)
PRICE(critical, { PRAGMA(omp critical)++ sink; })
PRICE(lock_and_unlock, {
  omp_set_lock(&lock);
  ++sink;
  omp_unset_lock(&lock);
})
PRICE(task, { PRAGMA(omp task)++ sink; })
PRICE(barrier, { PRAGMA(omp barrier); })
PRICE(single, { PRAGMA(omp single nowait)++ sink; })

int main(void) {
  omp_init_lock(&lock);
  region(1);
  region(omp_get_num_procs() > 3 ? 4 : omp_get_num_procs() > 1 ? 2 : 1);
#pragma omp parallel num_threads(1)
  {
    critical();
    lock_and_unlock();
    task();
    barrier();
    single();
  }
  omp_destroy_lock(&lock);
  return 0;
}
