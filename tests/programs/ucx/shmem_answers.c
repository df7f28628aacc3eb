// Calls functions of OpenSHMEM with parameters in all places: registers of both kinds, and the
// stack.
#include <stddef.h>
#include <stdio.h>

void shmem_init(void);
int shmem_my_pe(void);
void shmem_barrier_all(void);
void shmem_double_put(double* to, const double* from, size_t count, int pe);
void shmem_float_p(float* to, float value, int pe);
long double shmem_longdouble_g(const long double* from, int pe);
double shmem_double_atomic_swap(double* to, double value, int pe);
void shmem_ctx_int_iput(void* context, int* to, const int* from, ptrdiff_t step,
                        ptrdiff_t from_step, size_t count, int pe);
void shmem_int_sum_to_all(int* to, const int* from, int count, int start, int stride, int size,
                          int* work, long* sync);

int main(void) {
  const double from[] = {1, 2, 3};
  double to[3];
  float real;
  const long double large = 0.5L;
  double swapped = 8;
  const int numbers[] = {1, 2, 3, 4};
  int spread[8] = {0};
  int sums[4];
  int work[] = {1};
  long sync[] = {2};
  shmem_init();
  shmem_double_put(to, from, 3, 1);
  shmem_float_p(&real, 1.5F, 2);
  const long double got = shmem_longdouble_g(&large, 3);
  const double old = shmem_double_atomic_swap(&swapped, 0.25, 4);
  shmem_ctx_int_iput(NULL, spread, numbers, 2, 1, 4, 5);
  shmem_int_sum_to_all(sums, numbers, 4, 10, 20, 3, work, sync);
  shmem_barrier_all();
  printf("%g %g %Lg %g %g %d %d %d\n", to[2], real, got, old, swapped, spread[6], sums[3],
         shmem_my_pe());
  return 0;
}
