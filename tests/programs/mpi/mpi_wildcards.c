/* Receives with wildcards that are done without a status, or cancelled. Their handles stand for
 * other requests afterwards. 2 ranks. */
#include <mpi.h>

static int a[64], b[64];
static MPI_Status status;

static void receive(void) {
  MPI_Request q[2];
  int index, is_done;
  MPI_Irecv(b, 16, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, q);
  MPI_Waitall(1, q, MPI_STATUSES_IGNORE);
  MPI_Recv_init(b, 24, MPI_INT, 0, 16, MPI_COMM_WORLD, q);
  MPI_Start(q);
  MPI_Wait(q, &status);
  MPI_Request_free(q);
  /* A test that does not find it done leaves it as it is. */
  MPI_Irecv(b, 16, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, q);
  MPI_Testany(1, q, &index, &is_done, &status);
  MPI_Send(a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Waitany(1, q, &index, &status);
  MPI_Waitany(1, q, &index, &status);
  MPI_Irecv(b, 16, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, q);
  MPI_Wait(q, MPI_STATUS_IGNORE);
  MPI_Irecv(b, 16, MPI_INT, 0, 11, MPI_COMM_WORLD, q);
  MPI_Wait(q, &status);
  MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, q);
  MPI_Cancel(q);
  MPI_Wait(q, &status);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    receive();
  } else {
    MPI_Send(a, 16, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Send(a, 24, MPI_INT, 1, 16, MPI_COMM_WORLD);
    MPI_Recv(b, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &status);
    for (int tag = 9; tag <= 11; ++tag) MPI_Send(a, 16, MPI_INT, 1, tag, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
