// Two loops of 4 threads: in the first, thread 3 sleeps for 40 ms and the others for 10 ms (on an
// idle machine 43.75 % of the threads' time is lost in its barrier, the imbalance is 56.25 %); in
// the second all sleep for 10 ms. Each is done 5 times. Prints both shares of each loop as the
// threads' own clocks have them.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { kThreads = 4 };

static double starts[kThreads], ends[kThreads];  // of the threads' work, s

struct Sums {
  double work, longest, waits, all;  // s
};

static void work(int microseconds) {
  const int thread = omp_get_thread_num();
  starts[thread] = omp_get_wtime();
  usleep(microseconds);
  ends[thread] = omp_get_wtime();
}

static void uneven(void) {
#pragma omp parallel  // uneven
  work(omp_get_thread_num() == 3 ? 40000 : 10000);
}

static void even(void) {
#pragma omp parallel  // even
  work(10000);
}

static void add(struct Sums* sums, void (*region)(void)) {
  region();
  const double end = omp_get_wtime();
  double longest = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    const double each = ends[thread] - starts[thread];
    if (each > longest) longest = each;
    sums->work += each;
    sums->waits += end - ends[thread];
    sums->all += end - starts[thread];
  }
  sums->longest += longest;
}

static void print(const char* name, const struct Sums* sums) {
  printf("%s %.2f %.2f\n", name, 100 * (1 - sums->work / kThreads / sums->longest),
         100 * sums->waits / sums->all);
}

int main(void) {
  struct Sums of_uneven = {0}, of_even = {0};
  omp_set_dynamic(0);
  omp_set_num_threads(kThreads);
  for (int i = 0; i < 5; ++i) {
    add(&of_uneven, uneven);
    add(&of_even, even);
  }
  print("uneven", &of_uneven);
  print("even", &of_even);
  return 0;
}
