// omp_busy THREADS: 2 regions in which each thread computes for about 150 ms. That is much longer
// than a thread keeps a CPU that others want.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void busy(void) {
#pragma omp parallel  // busy
  for (volatile long i = 0; i < 200 * 1000 * 1000; ++i) continue;
}

int main(int count, char** arguments) {
  omp_set_dynamic(0);
  omp_set_num_threads(count > 1 ? atoi(arguments[1]) : 2);
  for (int i = 0; i < 2; ++i) busy();
  puts("done");
  return 0;
}
