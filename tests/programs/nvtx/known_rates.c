/* Calls and ranges whose number and duration the program itself knows.
 *
 * - known_rates calls N [NS]: N times fread of 16 bytes, with NS of work between them
 * - known_rates uneven N: three threads, three functions at different rates, uneven durations,
 *   bursts, and a change of phase in the middle
 * - known_rates ranges N [NS]: N ranges in an outer one for every 1,000; NS of work in each
 *
 * Prints JSON: for each name how often and how long in all (ns, of those below 1.5 ms). */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu_work.h"

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void calls(uint64_t count, uint64_t steps) {
  char buffer[16];
  FILE* zero = fopen("/dev/zero", "r");
  setvbuf(zero, NULL, _IOFBF, 1 << 16);
  for (uint64_t i = 0; i < count; ++i) {
    if (fread(buffer, 1, sizeof buffer, zero) != sizeof buffer) _exit(3);
    work(steps);
  }
  printf("{\"fread\": {\"count\": %lu}}\n", count);
}

static void ranges(uint64_t count, uint64_t steps) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 1000 == 0) nvtxRangePushA("outer");
    nvtxRangePushA(i % 3 == 0 ? "third" : "other");
    work(steps);
    nvtxRangePop();
    if (i % 1000 == 999) nvtxRangePop();
  }
  printf(
      "{\"outer\": {\"count\": %lu}, \"third\": {\"count\": %lu}, \"other\": {\"count\": %lu}}\n",
      count / 1000, (count + 2) / 3, count - (count + 2) / 3);
}

/* --- uneven: the functions of the streams take as long as wanted */

struct Known {
  uint64_t count, time;
};
struct Task {
  pthread_t thread;
  uint64_t count, random, end_of_last;
  struct Known fread, fwrite, range;
  int number;
};

/* Busy for about this long. The truth is what the clock says, also if another program runs. */
static void busy(uint64_t ns) {
  const uint64_t end = now() + ns;
  while (now() < end) {
  }
}
static __thread uint64_t g_wanted, g_took;
static void take(void) {
  const uint64_t start = now();
  busy(g_wanted);
  g_took = now() - start;
}
static ssize_t take_read(void* cookie, char* to, size_t bytes) {
  (void)cookie;
  take();
  memset(to, 'x', bytes);
  return (ssize_t)bytes;
}
static ssize_t take_write(void* cookie, const char* from, size_t bytes) {
  (void)cookie;
  (void)from;
  take();
  return (ssize_t)bytes;
}

static uint64_t random_number(struct Task* task) {
  task->random ^= task->random << 13;
  task->random ^= task->random >> 7;
  task->random ^= task->random << 17;
  return task->random;
}
/* From 2 us to 64 us, the longer the seldomer. */
static uint64_t uneven_ns(struct Task* task) {
  const uint64_t number = random_number(task);
  return 2000 << (__builtin_ctzll(number | 32)) | (number >> 58);
}

/* A call during which another program had the CPU takes a thousand times as long as others. How
 * long these took in all cannot be known from a sample, so they are not part of the time. */
static void add(struct Known* known, uint64_t time) {
  ++known->count;
  if (time < 1500000) known->time += time;
}

static void* uneven(void* argument) {
  struct Task* task = argument;
  cookie_io_functions_t functions = {.read = take_read, .write = take_write};
  FILE *in = fopencookie(task, "r", functions), *out = fopencookie(task, "w", functions);
  setvbuf(in, NULL, _IONBF, 0);
  setvbuf(out, NULL, _IONBF, 0);
  char byte[1] = "x";
  for (uint64_t i = 0; i < task->count; ++i) {
    const int is_second_half = i >= task->count / 2;
    g_wanted = uneven_ns(task) * (is_second_half ? 2 : 1);
    if (fread(byte, 1, 1, in) != 1) _exit(3);
    add(&task->fread, g_took);
    if (i % (is_second_half ? 20 : 100) == 0) {
      g_wanted = 10 * uneven_ns(task);
      if (fwrite(byte, 1, 1, out) != 1) _exit(3);
      add(&task->fwrite, g_took);
    }
    if (i % 4 == 0) {
      nvtxRangePushA("part");
      const uint64_t start = now();
      busy(uneven_ns(task));
      add(&task->range, now() - start);
      nvtxRangePop();
    }
    if (i % 20000 == 19999) usleep(3000);
  }
  fclose(in);
  fclose(out);
  return NULL;
}

static void print(const char* name, uint64_t count, uint64_t time) {
  printf("\"%s\": {\"count\": %lu, \"time\": %lu}, ", name, count, time);
}

static void uneven_threads(uint64_t count) {
  struct Task tasks[3] = {0};
  for (int i = 0; i < 3; ++i) {
    tasks[i].count = count;
    tasks[i].random = 88172645463325252ull + (uint64_t)i;
    pthread_create(&tasks[i].thread, NULL, uneven, &tasks[i]);
  }
  for (int i = 0; i < 3; ++i) pthread_join(tasks[i].thread, NULL);
  struct Task all = {0};
  for (int i = 0; i < 3; ++i) {
    all.fread.count += tasks[i].fread.count, all.fread.time += tasks[i].fread.time;
    all.fwrite.count += tasks[i].fwrite.count, all.fwrite.time += tasks[i].fwrite.time;
    all.range.count += tasks[i].range.count, all.range.time += tasks[i].range.time;
  }
  printf("{");
  print("fread", all.fread.count, all.fread.time);
  print("fwrite", all.fwrite.count, all.fwrite.time);
  print("part", all.range.count, all.range.time);
  printf("\"threads\": 3}\n");
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const uint64_t events = strtoull(words[2], NULL, 10);
  const uint64_t steps = count > 3 ? steps_in(atof(words[3])) : 0;
  if (strcmp(words[1], "calls") == 0)
    calls(events, steps);
  else if (strcmp(words[1], "ranges") == 0)
    ranges(events, steps);
  else if (strcmp(words[1], "uneven") == 0)
    uneven_threads(events);
  else
    return 2;
  return 0;
}
