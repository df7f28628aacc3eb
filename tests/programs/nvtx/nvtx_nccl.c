/* Does with NVTX what NCCL does: registers its schemas with its ids, pushes ranges with
   registered names and payloads, and ends the ones that make communicators with a payload. Prints
   the ranges. Arguments: rank, number of ranks, and number of all-reduces of each size. */
#include <nvtx3/nvToolsExtPayload.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { kInit = 1 << 24, kAllReduce, kBroadcast, kSendRecv, kFinalize, kOperation };

struct Init {
  uint64_t communicator;
  int ranks, rank, device;
};
struct Reduce {
  uint64_t communicator;
  size_t bytes;
  int operation;
};
struct Rooted {
  uint64_t communicator;
  size_t bytes;
  int root;
};
struct Peer {
  uint64_t communicator;
  size_t bytes;
  int peer;
};

static nvtxDomainHandle_t domain;

static void schema(uint64_t id, const nvtxPayloadSchemaEntry_t* entries, size_t count,
                   size_t size) {
  nvtxPayloadSchemaAttr_t a = {0};
  a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  a.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  a.entries = entries;
  a.numEntries = count;
  a.payloadStaticSize = size;
  a.schemaId = id;
  if (nvtxPayloadSchemaRegister(domain, &a) != id) abort();
}

static void schemas(void) {
  static const nvtxPayloadEnum_t operations[] = {
      {"Sum", 0}, {"Product", 1}, {"Max", 2}, {"Min", 3}, {"Avg", 4}};
  nvtxPayloadEnumAttr_t a = {0};
  a.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  a.entries = operations;
  a.numEntries = 5;
  a.sizeOfEnum = sizeof(int);
  a.schemaId = kOperation;
  nvtxPayloadEnumRegister(domain, &a);
#define COMMUNICATOR \
  { 0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", NULL, 0, 0 }
#define SIZE \
  { 0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", NULL, 0, 8 }
  const nvtxPayloadSchemaEntry_t init[] = {
      COMMUNICATOR,
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "No. of ranks", NULL, 0, 8},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "Rank", NULL, 0, 12},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "CUDA device", NULL, 0, 16}};
  schema(kInit, init, 4, sizeof(struct Init));
  const nvtxPayloadSchemaEntry_t reduce[] = {
      COMMUNICATOR, SIZE, {0, kOperation, "Reduction operation", NULL, 0, 16}};
  schema(kAllReduce, reduce, 3, sizeof(struct Reduce));
  const nvtxPayloadSchemaEntry_t rooted[] = {
      COMMUNICATOR, SIZE, {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "Root", NULL, 0, 16}};
  schema(kBroadcast, rooted, 3, sizeof(struct Rooted));
  const nvtxPayloadSchemaEntry_t peer[] = {
      COMMUNICATOR, SIZE, {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "Peer rank", NULL, 0, 16}};
  schema(kSendRecv, peer, 3, sizeof(struct Peer));
  schema(kFinalize, init, 1, 8);
}

static void push(const char* name, uint64_t id, const void* payload, size_t size) {
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = nvtxDomainRegisterStringA(domain, name);
  if (payload != NULL) {
    nvtxPayloadRangePush(domain, &a, id, payload, size);
  } else {
    nvtxDomainRangePushEx(domain, &a);
  }
}

static void wait_us(long microseconds) {
  const struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  const int rank = argc > 1 ? atoi(argv[1]) : 0;
  const int ranks = argc > 2 ? atoi(argv[2]) : 2;
  const int rounds = argc > 3 ? atoi(argv[3]) : 3;
  const uint64_t communicator = 0xfedcba9876543210; /* does not fit into a signed integer */
  domain = nvtxDomainCreateA("NCCL");
  schemas();
  const struct Init init = {communicator, ranks, rank, rank};
  const nvtxPayloadData_t data = {kInit, sizeof init, &init};
  push("ncclCommInitRankConfig", 0, NULL, 0);
  wait_us(500);
  nvtxRangePopPayload(domain, &data, 1);
  for (size_t bytes = 1024; bytes <= 1 << 20; bytes *= 1024)
    for (int i = 0; i < rounds; ++i) {
      const struct Reduce reduce = {communicator, bytes, i % 2 == 0 ? 0 : 2};
      push("ncclAllReduce", kAllReduce, &reduce, sizeof reduce);
      wait_us(bytes / 1024 * (rank + 1));
      nvtxDomainRangePop(domain);
    }
  const struct Rooted rooted = {communicator, 4096, 1};
  push("ncclBroadcast", kBroadcast, &rooted, sizeof rooted);
  wait_us(100);
  nvtxDomainRangePop(domain);
  const struct Peer peer = {communicator, 8192, 1 - rank};
  push(rank == 0 ? "ncclSend" : "ncclRecv", kSendRecv, &peer, sizeof peer);
  nvtxDomainRangePop(domain);
  push("ncclCommFinalize", 0, NULL, 0);
  const nvtxPayloadData_t end = {kFinalize, 8, &communicator};
  nvtxRangePopPayload(domain, &end, 1);
  printf("{\"communicator\": %llu, \"rounds\": %d}\n", (unsigned long long)communicator, rounds);
  return 0;
}
