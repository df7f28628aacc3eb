/* A ring of messages, and then what `how` says: programs of MPI that end badly, or begin in another
 * way. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void send_around(int tag) {
  int here = rank, there = 0;
  MPI_Sendrecv(&here, 1, MPI_INT, (rank + 1) % size, tag, &there, 1, MPI_INT,
               (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Sends to nobody or receives from nobody: the two ends of a line. */
static void send_along_a_line(void) {
  int here = rank, there = 0;
  MPI_Sendrecv(&here, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 9, &there, 1, MPI_INT,
               rank > 0 ? rank - 1 : MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* barrier(void* unused) {
  MPI_Barrier(MPI_COMM_SELF);
  return unused;
}

/* The program asked for MPI_THREAD_SINGLE. */
static void call_from_a_second_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, barrier, NULL);
  pthread_join(thread, NULL);
}

/* Two more processes of this program, with another world. */
static void spawn(char* program) {
  char* words[] = {"child", NULL};
  MPI_Comm children;
  MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  int number = 5;
  MPI_Bcast(&number, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
  MPI_Comm_disconnect(&children);
}

static void join_parent(void) {
  MPI_Comm parent;
  int number = 0;
  MPI_Comm_get_parent(&parent);
  MPI_Bcast(&number, 1, MPI_INT, 0, parent);
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  send_around(4);
  if (strcmp(how, "kill") == 0 || strcmp(how, "exit") == 0 || strcmp(how, "_exit") == 0) {
    /* A launcher may kill the others when one ends, so all are done before that. */
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(300000);
  }
  if (strcmp(how, "kill") == 0) {
    if (rank == 1) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(how, "exit") == 0) return 0; /* without MPI_Finalize */
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "line") == 0) send_along_a_line();
  if (strcmp(how, "level") == 0) call_from_a_second_thread();
  if (strcmp(how, "spawn") == 0) spawn(argv[0]);
  if (strcmp(how, "child") == 0) join_parent();
  MPI_Finalize();
  return 0;
}
