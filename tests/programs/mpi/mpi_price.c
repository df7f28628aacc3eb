// Prints what calls of MPI cost on one rank, ns: the best of many rounds.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kRounds = 20, kCalls = 500 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define PRICE(name, ...)                            \
  do {                                              \
    double best = 1e18;                             \
    for (int round = 0; round < kRounds; ++round) { \
      const double begin = now();                   \
      for (int i = 0; i < kCalls; ++i) __VA_ARGS__; \
      const double each = (now() - begin) / kCalls; \
      if (each < best) best = each;                 \
    }                                               \
    printf(name " %.1f\n", best);                   \
  } while (0)

int main(int argc, char** argv) {
  int from = 1, to = 0, there = 0;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  PRICE("MPI_Barrier", MPI_Barrier(MPI_COMM_SELF));
  PRICE("MPI_Allreduce/self", MPI_Allreduce(&from, &to, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
  PRICE("MPI_Allreduce/world", MPI_Allreduce(&from, &to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  PRICE("MPI_Iprobe", MPI_Iprobe(0, 5, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE));
  PRICE("Irecv+Isend+Waitall", {
    MPI_Irecv(&to, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&from, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  });
  MPI_Finalize();
  return 0;
}
