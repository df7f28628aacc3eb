/* Produces argv[1] events a second on argv[2] threads for argv[3] seconds, in bursts of a
 * millisecond. Prints their number and rate. */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long g_rate, g_threads;
static double g_seconds;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* An event here is one record: a push or a pop. */
static void* produce(void* events) {
  const double start = now();
  const double rate = (double)g_rate / (double)g_threads;
  long done = 0;
  for (;;) {
    const double elapsed = now() - start;
    if (elapsed >= g_seconds) break;
    for (; (double)done < elapsed * rate; done += 2) {
      nvtxRangePushA("event");
      nvtxRangePop();
    }
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  *(long*)events = done;
  return NULL;
}

int main(int count, char** words) {
  if (count < 4) return 2;
  g_rate = atol(words[1]);
  g_threads = atol(words[2]);
  g_seconds = atof(words[3]);
  pthread_t threads[64];
  long events[64], total = 0;
  const double start = now();
  for (long i = 0; i < g_threads && i < 64; ++i)
    pthread_create(&threads[i], NULL, produce, &events[i]);
  for (long i = 0; i < g_threads && i < 64; ++i) {
    pthread_join(threads[i], NULL);
    total += events[i];
  }
  printf("events %ld\nrate %.0f\n", total, (double)total / (now() - start));
  return 0;
}
