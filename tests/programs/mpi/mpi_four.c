// Functions that MPI 4 has brought, on two ranks: large counts, partitions, persistent collective
// calls.
#include <mpi.h>
#include <stdlib.h>

#define CHECK(what)                                   \
  do {                                                \
    if (!(what)) MPI_Abort(MPI_COMM_WORLD, __LINE__); \
  } while (0)

static int rank, other;

static void large_counts(int* from, int* to) {
  const MPI_Count counts[2] = {2, 3};
  const MPI_Aint places[2] = {0, 4};
  MPI_Status status;
  if (rank == 0)
    MPI_Send_c(from, (MPI_Count)16, MPI_INT, other, 1, MPI_COMM_WORLD);
  else
    MPI_Recv_c(to, (MPI_Count)16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Allgatherv_c(from, counts[rank], MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Bcast_c(from, (MPI_Count)5, MPI_INT, 0, MPI_COMM_WORLD);
}

static void exchange(int* from, int* to) {
  MPI_Request request;
  MPI_Isendrecv(from, 8, MPI_INT, other, 2, to, 10, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// 4 parts of 3 numbers, from rank 0 to rank 1.
static void partitions(int* from, int* to) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(from, 4, 3, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, 2, request);
    MPI_Pready(3, request);
  } else {
    int there = 0;
    MPI_Precv_init(to, 4, 3, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Parrived(request, 0, &there);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void persistent(int* from, int* to) {
  MPI_Request requests[2];
  MPI_Allreduce_init(from, to, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(to[0] == 2);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  int from[32], to[32];
  for (int i = 0; i < 32; ++i) from[i] = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  large_counts(from, to);
  exchange(from, to);
  partitions(from, to);
  persistent(from, to);
  MPI_Finalize();
  return 0;
}
