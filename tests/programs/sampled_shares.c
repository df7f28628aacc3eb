/* sampled_shares SECONDS: spends half of its CPU time in `half`, 30 % in `third`, 20 % in `fifth`, on two
   threads; prints the shares by its own clock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static volatile unsigned long sink;

/* The clock is read seldom: its calls are not to be seen. */
#define BURN(name)                                                 \
  __attribute__((noinline)) static void name(double seconds) {     \
    const double end = now() + seconds;                            \
    do                                                             \
      for (unsigned long i = 0; i < 200000; ++i) sink += i * i;    \
    while (now() < end);                                           \
    sink += 1; /* no tail call: the caller stays in the chain */   \
  }
BURN(half)
BURN(third)
BURN(fifth)

struct work {
  double seconds, spent[3];
};

__attribute__((noinline)) static void* work(void* data) {
  struct work* work = data;
  while (work->spent[0] + work->spent[1] + work->spent[2] < work->seconds) {
    void (*const parts[])(double) = {half, third, fifth};
    const double seconds[] = {0.0205, 0.0123, 0.0082};
    for (int i = 0; i < 3; ++i) {
      const double start = now();
      parts[i](seconds[i]);
      work->spent[i] += now() - start;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  struct work works[2] = {{0}};
  for (int i = 0; i < 2; ++i) works[i].seconds = argc > 1 ? atof(argv[1]) / 2 : 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, &works[0]) != 0) return 1;
  work(&works[1]);
  pthread_join(thread, NULL);
  double spent[3], all = 0;
  for (int i = 0; i < 3; ++i) all += spent[i] = works[0].spent[i] + works[1].spent[i];
  printf("{\"half\": %.4f, \"third\": %.4f, \"fifth\": %.4f}\n", spent[0] / all, spent[1] / all,
         spent[2] / all);
  return 0;
}
