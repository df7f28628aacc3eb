/* Makes many short calls, or locks, or NVTX ranges: for callgrind, which counts instructions.
 * "threaded_ranges": in a program that has a second thread. With a third argument it prints the
 * nanoseconds of each. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void* sleep_on(void* unused) {
  pause();
  return unused;
}

static void make_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleep_on, NULL) != 0) abort();
  usleep(200000); /* prof has a thread, too, and that has done what it has to */
}

static void call(long count) {
  for (long i = 0; i < count; ++i) sched_yield();
}

static void lock(long count) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void make_ranges(long count) {
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA("range");
    nvtxRangePop();
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? atol(argv[2]) : 0;
  nvtxMarkA("loads the tool");
  if (strcmp(what, "threaded_ranges") == 0) make_thread();
  const double begin = now();
  if (strstr(what, "ranges") != NULL)
    make_ranges(count);
  else if (strcmp(what, "locks") == 0)
    lock(count);
  else
    call(count);
  if (argc > 3) printf("{\"ns\": %.3f}\n", (now() - begin) / (double)count);
  return 0;
}
