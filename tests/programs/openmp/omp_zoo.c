// Does what nsys's report of OpenMP in tests/integration/nsys_truth/omp_zoo.tsv has: 7 regions, 8
// tasks, 4 critical regions, 3 locks, a loop in 5 regions.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define ELEMENTS (1 << 20)
static double a[ELEMENTS];

static void loops(void) {
  double sum = 0;
  for (int k = 0; k < 5; ++k) {
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4096)
    for (int i = 0; i < ELEMENTS; ++i) {
      a[i] += i * 0.5;
      sum += a[i];
    }
  }
  if (sum < 0) puts("impossible");
}

static void constructs(void) {
#pragma omp parallel
  {
#pragma omp critical(name)
    usleep(1000);
#pragma omp barrier
#pragma omp single
    {
      for (int i = 0; i < 8; ++i) {
#pragma omp task
        usleep(500);
      }
#pragma omp taskwait
    }
#pragma omp sections
    {
#pragma omp section
      usleep(100);
#pragma omp section
      usleep(200);
    }
#pragma omp master
    usleep(10);
  }
}

static void locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    omp_set_lock(&lock);
    usleep(300);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_num_threads(4);
  loops();
  constructs();
  locks();
  puts("EXPECT regions=7 tasks=8 critical=4 locks=3");
  return 0;
}
