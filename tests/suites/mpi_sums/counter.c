// Counts calls of MPI and the bytes that they name, below other tools: it is the last of
// LD_PRELOAD. Each rank writes "function calls bytes" lines to COUNTER_FOLDER/rank.N when it calls
// MPI_Finalize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static __thread int depth;

struct Sum {
  const char* name;
  long calls, bytes;
};

static long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  if (count != 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return (long)count * size;
}

static void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

// `bytes` may use the parameters. Both names of a function count for one.
#define COUNTED_AS(symbol, sum, result, parameters, arguments, bytes_) \
  result symbol parameters {                                           \
    static result(*real) parameters;                                   \
    if (real == NULL) real = next_of(#symbol);                         \
    if (depth == 0) {                                                  \
      __atomic_fetch_add(&sum.calls, 1, __ATOMIC_RELAXED);             \
      __atomic_fetch_add(&sum.bytes, bytes_, __ATOMIC_RELAXED);        \
    }                                                                  \
    ++depth;                                                           \
    const result value = real arguments;                               \
    --depth;                                                           \
    return value;                                                      \
  }
#define COUNTED(function, parameters, arguments, bytes)                   \
  static struct Sum sum_##function = {#function, 0, 0};                   \
  COUNTED_AS(function, sum_##function, int, parameters, arguments, bytes) \
  COUNTED_AS(P##function, sum_##function, int, parameters, arguments, bytes)

#define SEND (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
#define ISEND \
  (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* out)
#define BYTES (to == MPI_PROC_NULL ? 0 : bytes_of(count, type))
COUNTED(MPI_Send, SEND, (data, count, type, to, tag, comm), BYTES)
COUNTED(MPI_Ssend, SEND, (data, count, type, to, tag, comm), BYTES)
COUNTED(MPI_Rsend, SEND, (data, count, type, to, tag, comm), BYTES)
COUNTED(MPI_Isend, ISEND, (data, count, type, to, tag, comm, out), BYTES)
COUNTED(MPI_Recv,
        (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
         MPI_Status* out),
        (data, count, type, from, tag, comm, out), 0)
COUNTED(MPI_Irecv,
        (void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request* out),
        (data, count, type, to, tag, comm, out), BYTES)
COUNTED(MPI_Wait, (MPI_Request * one, MPI_Status* out), (one, out), 0)
COUNTED(MPI_Barrier, (MPI_Comm comm), (comm), 0)
COUNTED(MPI_Allreduce,
        (const void* data, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (data, to, count, type, op, comm), 0)
COUNTED(MPI_Reduce,
        (const void* data, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
         MPI_Comm comm),
        (data, to, count, type, op, root, comm), 0)
COUNTED(MPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (data, count, type, root, comm), 0)
COUNTED(MPI_Alltoall,
        (const void* data, int count, MPI_Datatype type, void* to, int count2, MPI_Datatype type2,
         MPI_Comm comm),
        (data, count, type, to, count2, type2, comm), 0)
COUNTED(MPI_Allgather,
        (const void* data, int count, MPI_Datatype type, void* to, int count2, MPI_Datatype type2,
         MPI_Comm comm),
        (data, count, type, to, count2, type2, comm), 0)
COUNTED(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* out),
        (from, tag, comm, flag, out), 0)

static void write_sums(void) {
  const struct Sum* const sums[] = {
      &sum_MPI_Send,  &sum_MPI_Ssend,    &sum_MPI_Rsend,     &sum_MPI_Isend,     &sum_MPI_Recv,
      &sum_MPI_Irecv, &sum_MPI_Wait,     &sum_MPI_Barrier,   &sum_MPI_Allreduce, &sum_MPI_Reduce,
      &sum_MPI_Bcast, &sum_MPI_Alltoall, &sum_MPI_Allgather, &sum_MPI_Iprobe};
  char path[4096];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/rank.%d", getenv("COUNTER_FOLDER"), rank);
  FILE* const file = fopen(path, "w");
  for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i)
    if (sums[i]->calls != 0)
      fprintf(file, "%s %ld %ld\n", sums[i]->name, sums[i]->calls, sums[i]->bytes);
  fclose(file);
}

#define FINALIZE(symbol)                        \
  int symbol(void) {                            \
    int (*const real)(void) = next_of(#symbol); \
    if (depth == 0) write_sums();               \
    return real();                              \
  }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)
