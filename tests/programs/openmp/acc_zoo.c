// A data region with a compute construct and an update in it, on the device that OpenACC has: the
// host.
#include <stdio.h>

static double a[100];

static void twice(void) {
#pragma acc parallel loop present(a)
  for (int i = 0; i < 100; ++i) a[i] *= 2;
}

int main(void) {
  for (int i = 0; i < 100; ++i) a[i] = i;
#pragma acc data copy(a)
  {
    twice();
#pragma acc update host(a)
  }
  printf("%g\n", a[99]);
  return 0;
}
