// Computes with constructs of OpenMP whose arguments a profiler could spoil: large and aligned
// arguments of tasks, dependences, reductions, copies of a single construct, loops of all kinds.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char bytes[1000];
} Large;
typedef struct __attribute__((aligned(64))) {
  int numbers[32];
} Aligned;

static int bad, dependent, sum;

static int fibonacci(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a) if (n > 5)
  a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 8) mergeable
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  Large large;
  memset(&large, 7, sizeof large);
  Aligned aligned;
  for (int i = 0; i < 32; ++i) aligned.numbers[i] = i;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(large, aligned, i)
      {
        if (large.bytes[999] != 7 || aligned.numbers[31] != 31 || ((uintptr_t)&aligned & 63) != 0)
#pragma omp atomic
          ++bad;
        large.bytes[0] = (char)i;
      }
#pragma omp task depend(inout : dependent)
      dependent = dependent * 3 % 1000 + i;
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task
#pragma omp atomic
      sum += i;
    }
  }
}

static long taskloops(void) {
  long total = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < 100; ++i)
#pragma omp atomic
      total += i;
#pragma omp taskloop reduction(+ : total)
    for (unsigned long i = 0; i < 100; ++i) total += (long)i;
  }
  return total;
}

static void loops(void) {
#pragma omp parallel num_threads(4)
  {
    int value;
#pragma omp single copyprivate(value)
    value = 42;
    if (value != 42)
#pragma omp atomic
      ++bad;
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 0; i < 20; ++i)
#pragma omp ordered
      sum += i;
#pragma omp for schedule(runtime)
    for (unsigned long long i = 0; i < 20; i += 3)
#pragma omp atomic
      ++sum;
#pragma omp for schedule(guided) nowait
    for (long i = 19; i >= 0; i -= 2)
#pragma omp atomic
      ++sum;
  }
}

static int nested_locks(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  const int depth = omp_test_nest_lock(&lock);
  for (int i = 0; i < 3; ++i) omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
  return depth;
}

int main(void) {
  int first = 0;
  tasks();
  loops();
#pragma omp parallel num_threads(4)
#pragma omp single
  first = fibonacci(15);
  int expected = 0;
  for (int i = 0; i < 50; ++i) expected = expected * 3 % 1000 + i;
  double reduced = 0;
#pragma omp parallel for reduction(task, + : reduced) schedule(dynamic) num_threads(4)
  for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : reduced)
    reduced += i;
  }
  printf("bad=%d dependent=%d sum=%d taskloops=%ld fibonacci=%d reduced=%g depth=%d\n", bad,
         dependent == expected, sum, taskloops(), first, reduced, nested_locks());
  return 0;
}
