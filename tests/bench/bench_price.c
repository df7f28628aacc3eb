/* What prof costs a program of many short calls or ranges, in one process: windows in which they go
 * through prof and windows in which they go past it, in turn.
 *
 * bench_price calls PAIRS NS     fread of 16 bytes, with NS of work between two calls
 * bench_price ranges PAIRS NS    ranges with NS of work in each; past prof there are none
 *
 * Prints JSON: how many went through, how many there are in a second, and for each pair of windows
 * the CPU time through prof by that past it: `means`, and `medians` by each window's batch in the
 * middle, which is less disturbed by other programs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu_work.h"

enum { kBatch = 100000, kMaxBatches = 256 };
/* The thinning of calls settles in the first part of a window (ns). */
static const uint64_t kSettling = 250000000, kMeasured = 500000000;

typedef size_t (*Read)(void*, size_t, size_t, FILE*);

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct Work {
  Read read; /* null: ranges */
  bool has_ranges;
  FILE* from;
  uint64_t steps;
};

static void calls(const struct Work* of) {
  char buffer[16];
  for (int i = 0; i < kBatch; ++i) {
    if (of->read(buffer, 1, sizeof buffer, of->from) != sizeof buffer) _exit(3);
    work(of->steps);
  }
}

static void ranges(const struct Work* of) {
  for (int i = 0; i < kBatch; ++i) {
    if (of->has_ranges) nvtxRangePushA("range");
    work(of->steps);
    if (of->has_ranges) nvtxRangePop();
  }
}

struct Window {
  uint64_t events;     /* also those that were not measured */
  double mean, median; /* CPU time of each, ns */
};

static int by_size(const void* left, const void* right) {
  const uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
  return (a > b) - (a < b);
}

static struct Window window(const struct Work* of) {
  uint64_t batches[kMaxBatches], all = 0;
  int measured = 0;
  struct Window result = {0};
  const uint64_t start = now();
  for (uint64_t passed = 0; passed < kSettling + kMeasured && measured < kMaxBatches;
       passed = now() - start) {
    const uint64_t begin = cpu_time();
    (of->read != NULL ? calls : ranges)(of);
    const uint64_t took = cpu_time() - begin;
    result.events += kBatch;
    if (passed < kSettling) continue;
    batches[measured++] = took;
    all += took;
  }
  if (measured == 0) _exit(4);
  qsort(batches, (size_t)measured, sizeof *batches, by_size);
  result.mean = (double)all / measured / kBatch;
  result.median = (double)batches[measured / 2] / kBatch;
  return result;
}

static void print(const char* name, const double* ratios, int count) {
  printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i) printf("%s%.5f", i == 0 ? "" : ", ", ratios[i]);
  printf("]");
}

int main(int count, char** words) {
  if (count < 4) return 2;
  const bool is_calls = strcmp(words[1], "calls") == 0;
  const int pairs = atoi(words[2]);
  if (pairs < 1 || (!is_calls && strcmp(words[1], "ranges") != 0)) return 2;
  void* const libc = dlopen("libc.so.6", RTLD_LAZY);
  void* const found = libc == NULL ? NULL : dlsym(libc, "fread");
  if (found == NULL) return 4;
  Read past;
  memcpy(&past, &found, sizeof past);
  FILE* const zero = fopen("/dev/zero", "r");
  setvbuf(zero, NULL, _IOFBF, 1 << 16);
  const uint64_t steps = steps_in(atof(words[3]));
  double* const means = calloc((size_t)pairs, sizeof(double));
  double* const medians = calloc((size_t)pairs, sizeof(double));
  uint64_t through = 0;
  double ns = 0;
  for (int i = 0; i < pairs; ++i) {
    struct Window sides[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int is_through = (turn + i) % 2;
      const Read read = is_through ? fread : past;
      sides[is_through] = window(&(struct Work){is_calls ? read : NULL, is_through, zero, steps});
    }
    through += sides[1].events;
    ns += sides[0].median / pairs;
    means[i] = sides[1].mean / sides[0].mean;
    medians[i] = sides[1].median / sides[0].median;
  }
  printf("{\"events\": %lu, \"per_second\": %.0f, ", through, 1e9 / ns);
  print("means", means, pairs);
  printf(", ");
  print("medians", medians, pairs);
  printf("}\n");
  return 0;
}
