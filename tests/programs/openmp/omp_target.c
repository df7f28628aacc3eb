// Target constructs, on the host if there is no other device.
#include <stdio.h>

static double a[100], b[100];

int main(void) {
#pragma omp target data map(to : a) map(tofrom : b)
  {
#pragma omp target
    for (int i = 0; i < 100; ++i) b[i] = i;
#pragma omp target update from(b)
  }
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
  printf("%g\n", b[99]);
  return 0;
}
