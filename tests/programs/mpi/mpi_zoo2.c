/* The second program whose recording by nsys is in nsys_truth: mpi_zoo2.tsv. What mpi_zoo.c lacks:
 * counts that differ by rank, MPI_IN_PLACE, neighbourhoods, intercommunicators, probes, wildcards,
 * and every way to wait for requests. 2 or 3 ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
static int r, n, next, before;
enum { M = 16 };
static double *a, *b;
static int cs[M], ds[M], cr[M], dr[M];
static MPI_Datatype ts[M], tr[M];
static MPI_Status st;
static MPI_Request q[4];

/* To rank i: send * (i + 1) + r elements; from rank i what it sends to this rank. */
static void counts(int send, int receive) {
  int s = 0, t = 0;
  for (int i = 0; i < n; i++) {
    cs[i] = send * (i + 1) + r;
    ds[i] = s;
    s += cs[i];
    cr[i] = receive * (r + 1) + i;
    dr[i] = t;
    t += cr[i];
  }
}

static void collectives(void) {
  counts(3, 3);
  MPI_Scatter(a, 5, MPI_INT, b, 5, MPI_INT, 0, W);
  MPI_Scatter(a, 6, MPI_DOUBLE, r == 1 ? MPI_IN_PLACE : (void*)b, 6, MPI_DOUBLE, 1, W);
  MPI_Allgather(a, 7, MPI_INT, b, 7, MPI_INT, W);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, W);
  int each[M], at[M], total = 0;
  for (int i = 0; i < n; i++) {
    each[i] = 4 + 2 * i;
    at[i] = total;
    total += each[i];
  }
  MPI_Gatherv(a, each[r], MPI_INT, b, each, at, MPI_INT, 0, W);
  MPI_Gatherv(a, each[r], MPI_INT, b, each, at, MPI_INT, 1, W);
  MPI_Scatterv(a, each, at, MPI_DOUBLE, b, each[r], MPI_DOUBLE, 0, W);
  MPI_Allgatherv(a, each[r], MPI_FLOAT, b, each, at, MPI_FLOAT, W);
  MPI_Alltoallv(a, cs, ds, MPI_INT, b, cr, dr, MPI_INT, W);
  int bs[M], br[M];
  for (int i = 0; i < n; i++) {
    ts[i] = (r + i) % 2 ? MPI_DOUBLE : MPI_INT;
    tr[i] = ts[i];
    bs[i] = ds[i] * 8;
    br[i] = dr[i] * 8;
  }
  MPI_Alltoallw(a, cs, bs, ts, b, cr, br, tr, W);
  int part[M];
  for (int i = 0; i < n; i++) part[i] = 2 + i;
  MPI_Reduce_scatter(a, b, part, MPI_DOUBLE, MPI_SUM, W);
  MPI_Reduce_scatter_block(a, b, 9, MPI_INT, MPI_SUM, W);
  MPI_Scan(a, b, 5, MPI_INT, MPI_SUM, W);
  MPI_Exscan(a, b, 6, MPI_INT, MPI_SUM, W);
  MPI_Gather(a, 10, MPI_INT, b, 10, MPI_INT, 1, W);
  MPI_Reduce(r == 0 ? MPI_IN_PLACE : (void*)a, b, 11, MPI_LONG, MPI_MAX, 0, W);
  MPI_Allreduce(MPI_IN_PLACE, b, 12, MPI_INT, MPI_SUM, W);
  MPI_Bcast(a, 0, MPI_INT, 0, W);
  MPI_Datatype pair, sparse;
  MPI_Type_contiguous(3, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_vector(4, 2, 5, MPI_DOUBLE, &sparse);
  MPI_Type_commit(&sparse);
  MPI_Bcast(a, 7, pair, 0, W);
  MPI_Bcast(a, 2, sparse, 1, W);
  MPI_Alltoall(a, 2, pair, b, 6, MPI_INT, W);
  MPI_Type_free(&pair);
  MPI_Type_free(&sparse);
}

static void nonblocking(void) {
  int each[M], at[M], total = 0;
  for (int i = 0; i < n; i++) {
    each[i] = 4 + 2 * i;
    at[i] = total;
    total += each[i];
  }
  MPI_Ibarrier(W, q);
  MPI_Wait(q, &st);
  MPI_Ibcast(a, 13, MPI_INT, 1, W, q);
  MPI_Wait(q, &st);
  MPI_Igather(a, 14, MPI_INT, b, 14, MPI_INT, 0, W, q);
  MPI_Wait(q, &st);
  MPI_Igatherv(a, each[r], MPI_INT, b, each, at, MPI_INT, 0, W, q);
  MPI_Wait(q, &st);
  MPI_Iscatter(a, 15, MPI_INT, b, 15, MPI_INT, 0, W, q);
  MPI_Wait(q, &st);
  MPI_Iscatterv(a, each, at, MPI_INT, b, each[r], MPI_INT, 1, W, q);
  MPI_Wait(q, &st);
  MPI_Iallgather(a, 16, MPI_INT, b, 16, MPI_INT, W, q);
  MPI_Wait(q, &st);
  MPI_Iallgatherv(a, each[r], MPI_INT, b, each, at, MPI_INT, W, q);
  MPI_Wait(q, &st);
  counts(2, 2);
  MPI_Ialltoall(a, 17, MPI_INT, b, 17, MPI_INT, W, q);
  MPI_Wait(q, &st);
  MPI_Ialltoallv(a, cs, ds, MPI_INT, b, cr, dr, MPI_INT, W, q);
  MPI_Wait(q, &st);
  int bs[M], br[M];
  for (int i = 0; i < n; i++) {
    ts[i] = tr[i] = MPI_FLOAT;
    bs[i] = ds[i] * 4;
    br[i] = dr[i] * 4;
  }
  MPI_Ialltoallw(a, cs, bs, ts, b, cr, br, tr, W, q);
  MPI_Wait(q, &st);
  MPI_Ireduce(a, b, 18, MPI_INT, MPI_SUM, 1, W, q);
  MPI_Wait(q, &st);
  MPI_Iallreduce(a, b, 19, MPI_INT, MPI_SUM, W, q);
  MPI_Wait(q, &st);
  int part[M];
  for (int i = 0; i < n; i++) part[i] = 2 + i;
  MPI_Ireduce_scatter(a, b, part, MPI_INT, MPI_SUM, W, q);
  MPI_Wait(q, &st);
  MPI_Ireduce_scatter_block(a, b, 20, MPI_INT, MPI_SUM, W, q);
  MPI_Wait(q, &st);
  MPI_Iscan(a, b, 21, MPI_INT, MPI_SUM, W, q);
  MPI_Wait(q, &st);
  MPI_Iexscan(a, b, 22, MPI_INT, MPI_SUM, W, q);
  MPI_Wait(q, &st);
}

static void neighbours(void) {
  MPI_Comm ring;
  int dims[1] = {n}, wrap[1] = {1};
  MPI_Cart_create(W, 1, dims, wrap, 0, &ring);
  int two[2] = {3, 4}, from[2] = {4, 3}, at[2] = {0, 40};
  MPI_Aint far[2] = {0, 400};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int same[2] = {5, 5};
  if (n == 2) two[0] = from[1] = 4; /* both neighbours are the same rank */
  MPI_Neighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, ring);
  MPI_Neighbor_allgatherv(a, 5, MPI_INT, b, same, at, MPI_INT, ring);
  MPI_Neighbor_alltoall(a, 4, MPI_INT, b, 4, MPI_INT, ring);
  MPI_Neighbor_alltoallv(a, two, at, MPI_INT, b, from, at, MPI_INT, ring);
  MPI_Neighbor_alltoallw(a, same, far, types, b, same, far, types, ring);
  MPI_Ineighbor_allgather(a, 6, MPI_INT, b, 6, MPI_INT, ring, q);
  MPI_Wait(q, &st);
  MPI_Ineighbor_alltoall(a, 7, MPI_INT, b, 7, MPI_INT, ring, q);
  MPI_Wait(q, &st);
  MPI_Comm sub;
  int keep[1] = {1};
  MPI_Cart_sub(ring, keep, &sub);
  MPI_Barrier(sub);
  MPI_Comm_free(&sub);
  int weight[1] = {1};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(W, 1, &before, weight, 1, &next, weight, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_allgather(a, 8, MPI_INT, b, 8, MPI_INT, graph);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&ring);
}

static void communicators(void) {
  MPI_Comm half, inter, merged, copy, node, made;
  MPI_Group world, two;
  int low = r == 0;
  MPI_Comm_split(W, low, r, &half);
  MPI_Allreduce(a, b, 2, MPI_INT, MPI_SUM, half);
  MPI_Intercomm_create(half, 0, W, low ? 1 : 0, 55, &inter);
  MPI_Barrier(inter);
  MPI_Allreduce(a, b, 3, MPI_INT, MPI_SUM, inter);
  MPI_Bcast(a, 4, MPI_INT, low ? MPI_ROOT : 0, inter);
  MPI_Allgather(a, 5, MPI_INT, b, 5, MPI_INT, inter);
  MPI_Gather(a, 6, MPI_INT, b, 6, MPI_INT, low ? MPI_ROOT : 0, inter);
  MPI_Alltoall(a, 7, MPI_INT, b, 7, MPI_INT, inter);
  if (low) {
    MPI_Send(a, 8, MPI_INT, n - 2, 31, inter);
  } else if (r == n - 1) {
    MPI_Recv(b, 9, MPI_INT, 0, 31, inter, &st);
  }
  MPI_Intercomm_merge(inter, !low, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_dup(half, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_idup(W, &copy, q);
  MPI_Wait(q, &st);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_free(&node);
  int ranks[2] = {1, 0};
  MPI_Comm_group(W, &world);
  MPI_Group_incl(world, 2, ranks, &two);
  if (n == 2) {
    MPI_Comm_create(W, two, &made);
    if (made != MPI_COMM_NULL) {
      MPI_Bcast(a, 9, MPI_INT, 0, made);
      MPI_Comm_free(&made);
    }
  }
  if (r < 2) {
    MPI_Comm_create_group(W, two, 66, &made);
    MPI_Comm_free(&made);
  }
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_free(&half);
  MPI_Group_free(&two);
  MPI_Group_free(&world);
}

static void exchange(void) {
  MPI_Sendrecv(a, 10, MPI_INT, next, 1, b, 20, MPI_INT, before, 1, W, &st);
  MPI_Sendrecv(a, 11, MPI_INT, next, 2, b, 11, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &st);
  MPI_Sendrecv_replace(a, 12, MPI_INT, next, 3, before, 3, W, &st);
  MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 4, b, 1, MPI_INT, MPI_PROC_NULL, 4, W, &st);
}

static void send_and_receive(void) {
  int flag = 0;
  MPI_Message m;
  if (r == 0) {
    MPI_Send(a, 13, MPI_INT, 1, 5, W);
    MPI_Ssend(a, 14, MPI_INT, 1, 6, W);
    static char room[10000];
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(a, 15, MPI_INT, 1, 7, W);
    int size;
    void* old;
    MPI_Buffer_detach(&old, &size);
    MPI_Isend(a, 16, MPI_INT, 1, 8, W, q);
    MPI_Issend(a, 17, MPI_INT, 1, 9, W, q + 1);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Send(a, 18, MPI_INT, 1, 10, W);
    MPI_Send(a, 19, MPI_INT, 1, 11, W);
  } else if (r == 1) {
    MPI_Probe(0, 5, W, &st);
    MPI_Recv(b, 100, MPI_INT, 0, 5, W, &st);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &st);
    MPI_Recv(b, 100, MPI_INT, MPI_ANY_SOURCE, 6, W, MPI_STATUS_IGNORE);
    usleep(20000);
    while (!flag) MPI_Iprobe(0, MPI_ANY_TAG, W, &flag, &st);
    MPI_Recv(b, 15, MPI_INT, 0, MPI_ANY_TAG, W, &st);
    MPI_Irecv(b, 16, MPI_INT, MPI_ANY_SOURCE, 8, W, q);
    MPI_Irecv(a, 17, MPI_INT, 0, MPI_ANY_TAG, W, q + 1);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Mprobe(0, 10, W, &m, &st);
    MPI_Mrecv(b, 18, MPI_INT, &m, &st);
    MPI_Mprobe(0, 11, W, &m, &st);
    MPI_Imrecv(b, 19, MPI_INT, &m, q);
    MPI_Wait(q, &st);
  }
  MPI_Barrier(W);
}

/* Until all messages have come: no call has to be repeated then. */
static void settle(void) {
  MPI_Barrier(W);
  usleep(10000);
  MPI_Barrier(W);
}

static void complete(void) {
  int flag;
  MPI_Isend(a, 20, MPI_INT, next, 12, W, q);
  MPI_Irecv(b, 20, MPI_INT, before, 12, W, q + 1);
  settle();
  int index;
  MPI_Waitany(2, q, &index, &st);
  MPI_Waitany(2, q, &index, &st);
  MPI_Isend(a, 21, MPI_INT, next, 13, W, q);
  MPI_Irecv(b, 21, MPI_INT, before, 13, W, q + 1);
  settle();
  int done = 0, out, where[2];
  while (done < 2) {
    MPI_Waitsome(2, q, &out, where, MPI_STATUSES_IGNORE);
    done += out;
  }
  MPI_Isend(a, 22, MPI_INT, next, 14, W, q);
  MPI_Irecv(b, 22, MPI_INT, before, 14, W, q + 1);
  settle();
  for (flag = 0; !flag;) MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
  MPI_Isend(a, 23, MPI_INT, next, 15, W, q);
  MPI_Recv(b, 23, MPI_INT, before, 15, W, &st);
  settle();
  for (flag = 0; !flag;) MPI_Test(q, &flag, &st);
  MPI_Isend(a, 26, MPI_INT, next, 18, W, q);
  MPI_Irecv(b, 26, MPI_INT, before, 18, W, q + 1);
  settle();
  for (done = 0; done < 2;) {
    MPI_Testany(2, q, &index, &flag, &st);
    done += flag;
  }
  MPI_Isend(a, 27, MPI_INT, next, 19, W, q);
  MPI_Irecv(b, 27, MPI_INT, before, 19, W, q + 1);
  settle();
  for (done = 0; done < 2;) {
    MPI_Testsome(2, q, &out, where, MPI_STATUSES_IGNORE);
    done += out;
  }
}

static void persist_and_cancel(void) {
  int flag;
  q[0] = MPI_REQUEST_NULL;
  MPI_Wait(q, &st);
  MPI_Test(q, &flag, &st);
  MPI_Send_init(a, 24, MPI_INT, next, 16, W, q);
  MPI_Recv_init(b, 24, MPI_INT, before, 16, W, q + 1);
  MPI_Ssend_init(a, 25, MPI_INT, next, 17, W, q + 2);
  MPI_Recv_init(b + 100, 25, MPI_INT, MPI_ANY_SOURCE, 17, W, q + 3);
  for (int i = 0; i < 2; i++) {
    MPI_Start(q + 1);
    MPI_Start(q);
    MPI_Wait(q, &st);
    MPI_Wait(q + 1, &st);
    MPI_Startall(2, q + 2);
    MPI_Waitall(2, q + 2, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(q + i);
  MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 99, W, q);
  MPI_Cancel(q);
  MPI_Wait(q, &st);
}

static void pack_and_reduce(void) {
  char pack[1000];
  int at = 0;
  MPI_Pack(a, 5, MPI_INT, pack, sizeof pack, &at, W);
  at = 0;
  MPI_Unpack(pack, sizeof pack, &at, b, 5, MPI_INT, W);
  MPI_Reduce_local(a, b, 5, MPI_INT, MPI_SUM);
}

int main(int c, char** v) {
  int given;
  MPI_Init_thread(&c, &v, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_rank(W, &r);
  MPI_Comm_size(W, &n);
  next = (r + 1) % n;
  before = (r + n - 1) % n;
  a = calloc(1 << 16, 8);
  b = calloc(1 << 16, 8);
  if (n < 2 || n > M) return 1;
  collectives();
  nonblocking();
  neighbours();
  communicators();
  exchange();
  send_and_receive();
  complete();
  persist_and_cancel();
  pack_and_reduce();
  MPI_Barrier(W);
  MPI_Finalize();
  return 0;
}
