/* The program whose recording by nsys is nsys_truth/mpi_zoo.tsv. Every kind of call, with different
 * sizes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, next, previous;
static double *values, *others;
static MPI_Status status;
static MPI_Request requests[2];

static void exchange_messages(void) {
  for (int i = 0; i < 5; i++)
    MPI_Sendrecv(values, 1000, MPI_DOUBLE, next, 7, others, 1000, MPI_DOUBLE, previous, 7,
                 MPI_COMM_WORLD, &status);
  for (int i = 0; i < 4; i++) {
    if (rank % 2 == 0)
      MPI_Send(values, 256 * (i + 1), MPI_INT, next, 11 + i, MPI_COMM_WORLD);
    else
      MPI_Recv(others, 256 * (i + 1), MPI_INT, previous, 11 + i, MPI_COMM_WORLD, &status);
  }
  for (int i = 0; i < 3; i++) {
    MPI_Irecv(others, 65536, MPI_DOUBLE, previous, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(values, 65536, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void call_collectives(void) {
  for (int i = 0; i < 6; i++) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 7; i++)
    MPI_Allreduce(values, others, 4096, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 2; i++) MPI_Bcast(values, 100, MPI_FLOAT, 1, MPI_COMM_WORLD);
  MPI_Gather(values, 10, MPI_INT, others, 10, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Alltoall(values, 64, MPI_BYTE, others, 64, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Reduce(values, others, 33, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Scan(values, others, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(values, others, 128, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, &status);
}

static void use_communicators(void) {
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, "half");
  MPI_Allreduce(values, others, 2, MPI_INT, MPI_SUM, half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static void use_windows_and_files(const char* name) {
  MPI_Win window;
  double* base;
  MPI_Win_allocate(800, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_fence(0, window);
  MPI_Put(values, 10, MPI_DOUBLE, next, 0, 10, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, rank * 80, values, 10, MPI_DOUBLE, &status);
  MPI_File_close(&file);
}

static void use_persistent_requests(void) {
  int flag;
  MPI_Request persistent;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  MPI_Send_init(values, 20, MPI_INT, next, 99, MPI_COMM_WORLD, &persistent);
  MPI_Irecv(others, 20, MPI_INT, previous, 99, MPI_COMM_WORLD, requests);
  MPI_Start(&persistent);
  MPI_Wait(&persistent, &status);
  MPI_Wait(requests, &status);
  MPI_Request_free(&persistent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  values = calloc(1 << 16, 8);
  others = calloc(1 << 16, 8);
  exchange_messages();
  call_collectives();
  use_communicators();
  use_windows_and_files(argv[1]);
  use_persistent_requests();
  if (argc > 2 && rank == 1) abort();
  MPI_Finalize();
  free(values);
  free(others);
  return 0;
}
