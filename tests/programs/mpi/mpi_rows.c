/* The same calls as mpi_rows.F90, which gives the Fortran bindings. */
#include <mpi.h>
#include <stddef.h>
int main(int argc, char** argv) {
  int rank, size, values[8] = {0}, others[8] = {0};
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Irecv(others, 8, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(values, 8, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Send(values, 3, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
  MPI_Sendrecv(values, 2, MPI_INT, (rank + 1) % size, 7, others, 4, MPI_INT, MPI_ANY_SOURCE,
               MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Allreduce(MPI_IN_PLACE, others, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(values, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, others, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Gather(values, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
