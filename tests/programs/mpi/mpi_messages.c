// Random messages between ranks in four communicators: blocking, with requests, persistent, and
// with wildcards. Each message has its number, so the program checks that messages come in the
// order in which they were sent. Rank 0 prints what a profiler must find: "sent FROM TO COUNT" for
// each pair of ranks.
//
// Usage: mpi_messages [ROUNDS]   (of 40 messages in one communicator)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMessages = 40, kTags = 3, kMostInts = 600, kMostRanks = 8 };

static unsigned long g_seed = 1;

// All ranks draw the same numbers.
static int draw(int limit) {
  g_seed = g_seed * 6364136223846793005UL + 1442695040888963407UL;
  return (int)((g_seed >> 33) % (unsigned long)limit);
}

typedef struct {
  int from, to, tag, ints;
} Planned;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  int sent[kMostRanks][kTags];      // number of the next message to each rank
  int received[kMostRanks][kTags];  // number of the next message from each rank
  int world[kMostRanks];            // rank of each in MPI_COMM_WORLD
} Group;

static int g_sent[kMostRanks];  // to each rank

static void make_group(Group* group, MPI_Comm comm) {
  group->comm = comm;
  MPI_Comm_rank(comm, &group->rank);
  MPI_Comm_size(comm, &group->size);
  int own;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Allgather(&own, 1, MPI_INT, group->world, 1, MPI_INT, comm);
}

static void check(Group* group, const int* data, int from, int tag) {
  if (data[0] == group->received[from][tag]++) return;
  fprintf(stderr, "a message overtook another one\n");
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void receive_one(Group* group, const Planned* each, int* data, int is_any) {
  MPI_Status status;
  MPI_Recv(data, kMostInts, MPI_INT, is_any ? MPI_ANY_SOURCE : each->from,
           is_any ? MPI_ANY_TAG : each->tag, group->comm, &status);
  check(group, data, status.MPI_SOURCE, status.MPI_TAG);
}

// How a rank receives. All but the first two use requests.
enum Way { kBlocking, kBlockingAny, kRequests, kPersistent, kAny, kAnyOneByOne, kAnySome, kWays };

static void begin_receipt(Group* group, const Planned* each, int* data, enum Way way,
                          MPI_Request* request) {
  const int from = way >= kAny ? MPI_ANY_SOURCE : each->from;
  const int tag = way >= kAny ? MPI_ANY_TAG : each->tag;
  if (way != kPersistent) {
    MPI_Irecv(data, kMostInts, MPI_INT, from, tag, group->comm, request);
    return;
  }
  MPI_Recv_init(data, kMostInts, MPI_INT, from, tag, group->comm, request);
  MPI_Start(request);
}

// Waits for requests with wildcards, and returns who sent what they received.
static void finish_any(enum Way way, MPI_Request* requests, int count, MPI_Status* statuses) {
  MPI_Status status, some[kMessages];
  int index, is_done = 0, indices[kMessages];
  if (way == kAny) {
    if (count % 2 == 0) MPI_Waitall(count, requests, statuses);
    while (count % 2 != 0 && !is_done) MPI_Testall(count, requests, &is_done, statuses);
  } else if (way == kAnyOneByOne) {
    for (int done = 0; done < count; ++done) {
      if (done % 2 == 0) MPI_Waitany(count, requests, &index, &status);
      for (is_done = done % 2 == 0; !is_done;)
        MPI_Testany(count, requests, &index, &is_done, &status);
      statuses[index] = status;
    }
  } else {
    for (int done = 0, found; done < count; done += found) {
      if (done % 2 == 0)
        MPI_Waitsome(count, requests, &found, indices, some);
      else
        MPI_Testsome(count, requests, &found, indices, some);
      for (int i = 0; i < found; ++i) statuses[indices[i]] = some[i];
    }
  }
}

static void finish(Group* group, const Planned* of, int (*data)[kMostInts], enum Way way,
                   MPI_Request* requests, int count) {
  MPI_Status statuses[kMessages];
  if (way >= kAny) finish_any(way, requests, count, statuses);
  for (int i = 0; i < count; ++i) {
    int is_done = way == kPersistent || way >= kAny || i % 2 == 0;
    if (is_done && way < kAny) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    while (!is_done) MPI_Test(&requests[i], &is_done, MPI_STATUS_IGNORE);
    if (way >= kAny)
      check(group, data[i], statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
    else
      check(group, data[i], of[i].from, of[i].tag);
    if (way == kPersistent) MPI_Request_free(&requests[i]);
  }
}

static void receive(Group* group, const Planned* plan, enum Way way) {
  static int data[kMessages][kMostInts];
  MPI_Request requests[kMessages];
  Planned of[kMessages];
  int pending = 0;
  for (int i = 0; i < kMessages; ++i) {
    if (plan[i].to != group->rank) continue;
    if (way <= kBlockingAny) {
      receive_one(group, &plan[i], data[0], way == kBlockingAny);
      continue;
    }
    of[pending] = plan[i];
    begin_receipt(group, &plan[i], data[pending], way, &requests[pending]);
    ++pending;
  }
  finish(group, of, data, way, requests, pending);
}

static void exchange(Group* group) {
  static int data[kMessages][kMostInts];
  MPI_Request requests[kMessages];
  Planned plan[kMessages];
  int pending = 0;
  const enum Way way = (enum Way)draw(kWays);
  for (int i = 0; i < kMessages; ++i) {
    Planned* each = &plan[i];
    each->from = draw(64) % group->size;
    each->to = draw(64) % group->size;
    each->tag = draw(kTags);
    each->ints = 1 + draw(kMostInts);
    if (each->from != group->rank) continue;
    data[i][0] = group->sent[each->to][each->tag]++;
    ++g_sent[group->world[each->to]];
    MPI_Isend(data[i], each->ints, MPI_INT, each->to, each->tag, group->comm, &requests[pending++]);
  }
  receive(group, plan, way);
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(group->comm);  // a wildcard takes no message of the next round
}

// Rank 1 comes 100 ms late with a message that rank 0 waits for, which then is 100 ms late itself
// with what rank 1 waits for.
static void be_late(int rank) {
  int data = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) usleep(100000);
  if (rank == 1) MPI_Send(&data, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&data, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) usleep(100000);
  if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 78, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static Group groups[4];
  static int all[kMostRanks][kMostRanks];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMostRanks || size % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm copy, half, reversed;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  make_group(&groups[0], MPI_COMM_WORLD);
  make_group(&groups[1], copy);
  make_group(&groups[2], half);
  make_group(&groups[3], reversed);
  for (int i = argc > 1 ? atoi(argv[1]) : 28; i > 0; --i) exchange(&groups[draw(4)]);
  be_late(rank);
  MPI_Gather(g_sent, kMostRanks, MPI_INT, all, kMostRanks, MPI_INT, 0, MPI_COMM_WORLD);
  for (int from = 0; rank == 0 && from < size; ++from)
    for (int to = 0; to < size; ++to) printf("sent %d %d %d\n", from, to, all[from][to]);
  MPI_Finalize();
  return 0;
}
