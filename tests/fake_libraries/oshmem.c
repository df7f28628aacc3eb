// A stand-in for OpenSHMEM with one PE: some functions with the real names and parameters. Those
// that return something make it of their arguments.
#include <stddef.h>
#include <string.h>

void shmem_init(void) {}
int shmem_my_pe(void) { return 0; }
void shmem_quiet(void) {}
// Calls another public function, as real libraries do.
void shmem_barrier_all(void) { shmem_quiet(); }
void shmem_double_put(double* to, const double* from, size_t count, int pe) {
  (void)pe;
  memcpy(to, from, count * sizeof *to);
}
void shmem_float_p(float* to, float value, int pe) { *to = value + (float)pe; }
long double shmem_longdouble_g(const long double* from, int pe) { return *from + pe; }
double shmem_double_atomic_swap(double* to, double value, int pe) {
  const double old = *to;
  *to = value + pe;
  return old;
}
void shmem_ctx_int_iput(void* context, int* to, const int* from, ptrdiff_t step,
                        ptrdiff_t from_step, size_t count, int pe) {
  (void)context;
  for (size_t i = 0; i < count; ++i) to[(ptrdiff_t)i * step] = from[(ptrdiff_t)i * from_step] + pe;
}
int shmem_int_sum_to_all(int* to, const int* from, int count, int start, int stride, int size,
                         int* work, long* sync) {
  for (int i = 0; i < count; ++i) to[i] = from[i] * size + start + stride + work[0] + (int)sync[0];
  return 0;
}
