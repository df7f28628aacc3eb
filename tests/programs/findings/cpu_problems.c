/* cpu_problems WAY: has one problem, or none. Times are CPU times, so that they are the same on a
 * busy machine. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CELLS 4096

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Twelve functions of which each takes about the same time. */
#define WORKER(name, value)                                          \
  __attribute__((noinline)) static void name(volatile char* cells) { \
    for (int i = 0; i < CELLS; ++i) cells[i] += value;               \
  }
WORKER(part_a, 1)
WORKER(part_b, 2)
WORKER(part_c, 3)
WORKER(part_d, 4)
WORKER(part_e, 5)
WORKER(part_f, 6)
WORKER(part_g, 7)
WORKER(part_h, 8)
WORKER(part_i, 9)
WORKER(part_j, 10)
WORKER(part_k, 11)
WORKER(part_l, 12)

static void all_parts(volatile char* cells) {
  part_a(cells), part_b(cells), part_c(cells), part_d(cells);
  part_e(cells), part_f(cells), part_g(cells), part_h(cells);
  part_i(cells), part_j(cells), part_k(cells), part_l(cells);
}

static void compute(double seconds) {
  char cells[CELLS] = {0};
  for (const double end = thread_seconds() + seconds; thread_seconds() < end;)
    for (int i = 0; i < 10; ++i) all_parts(cells);
}

__attribute__((noinline)) static void hot(volatile char* cells) {
  for (int round = 0; round < 80; ++round)
    for (int i = 0; i < CELLS; ++i) cells[i] += 9;
}

/* hot() takes about three quarters of the time. */
static void hot_function(void) {
  char cells[CELLS] = {0};
  for (const double end = thread_seconds() + 0.4; thread_seconds() < end;) {
    for (int i = 0; i < 2; ++i) all_parts(cells);
    hot(cells);
  }
}

/* Memory of this size comes from the kernel and goes back to it each time. */
__attribute__((noinline)) static void fill_new_memory(void) {
  const size_t bytes = 64 << 20;
  volatile char* buffer = malloc(bytes);
  for (size_t at = 0; at < bytes; at += 4096) buffer[at] = 1;
  free((void*)buffer);
}

static void new_memory(void) {
  for (const double end = thread_seconds() + 0.5; thread_seconds() < end;) fill_new_memory();
}

static void* compute_for(void* seconds) {
  compute(*(const double*)seconds);
  return NULL;
}

static void threads(const double* seconds, int count) {
  pthread_t all[8];
  for (int i = 0; i < count; ++i) pthread_create(&all[i], NULL, compute_for, (void*)&seconds[i]);
  for (int i = 0; i < count; ++i) pthread_join(all[i], NULL);
}

static void on_one_cpu(void) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_ZERO(&allowed);
  CPU_SET(first, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

int main(int argc, char** argv) {
  static const double even[] = {0.15, 0.15, 0.15, 0.15};
  static const double uneven[] = {0.06, 0.8, 0.06, 0.06};
  const char* way = argc > 1 ? argv[1] : "";
  if (strcmp(way, "hot") == 0) {
    hot_function();
  } else if (strcmp(way, "balanced") == 0) {
    compute(0.4);
  } else if (strcmp(way, "new_memory") == 0) {
    new_memory();
  } else if (strcmp(way, "one_cpu") == 0) {
    on_one_cpu();
    threads(even, 4);
  } else if (strcmp(way, "even") == 0) {
    threads(even, 4);
  } else if (strcmp(way, "uneven") == 0) {
    threads(uneven, 4);
  } else {
    fprintf(stderr, "cpu_problems hot|balanced|new_memory|one_cpu|even|uneven\n");
    return 2;
  }
  return 0;
}
