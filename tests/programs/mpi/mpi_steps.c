/* Lets late_rank.py use MPI and C. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

int begin(int* ranks) {
  int rank;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  return rank;
}

void reduce(void) {
  double values[256] = {0};
  MPI_Allreduce(MPI_IN_PLACE, values, 256, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void end(void) { MPI_Finalize(); }

/* Computes in C. */
double hot_loop(long rounds) {
  volatile double sum = 0;
  for (long i = 0; i < rounds; ++i) sum += (double)i * 0.5;
  return sum;
}

/* Each page is new to the process. */
void touch_new_pages(size_t bytes) {
  char* pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) abort();
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes; i += 4096) pages[i] = 1;
  munmap(pages, bytes);
}
