// Two loops of 4 threads: in the first, thread 3 sleeps for 40 ms and the others for 10 ms (43.75 %
// of the threads' time is lost in its barrier, the imbalance is 56.25 %); in the second all sleep
// for 10 ms. Each is done 5 times.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static void uneven(void) {
#pragma omp parallel  // uneven
  usleep(omp_get_thread_num() == 3 ? 40000 : 10000);
}

static void even(void) {
#pragma omp parallel  // even
  usleep(10000);
}

int main(void) {
  omp_set_dynamic(0);
  omp_set_num_threads(4);
  for (int i = 0; i < 5; ++i) {
    uneven();
    even();
  }
  puts("EXPECT imbalance=56");
  return 0;
}
