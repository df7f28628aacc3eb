// Measures the time of a call of the stand-ins' longest function, in ns. Run by hand:
//  prof profile -t none|cublas -o /tmp/cost.db -f true build/release/bin/fake_libraries/cost
#include <stdio.h>
#include <time.h>

#include "fakes.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  enum { kCalls = 200000, kRounds = 9 };
  double best = 1e9;
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = now();
    for (int i = 0; i < kCalls; ++i)
      wrong += cublasGemmEx(-1, 2, 3, 4LL << 40, 5, 6, (void*)7, -8, 9, 10, 11, -12LL * (1LL << 33),
                            (void*)13, 14, 15, 16, -17, 18LL << 50, 19, 20, 21, (void*)22);
    const double each = (now() - start) / kCalls;
    if (each < best) best = each;
  }
  printf("%.1f ns a call, %d wrong\n", best, wrong);
  return wrong != 0;
}
