#include "fakes.h"

int ncclCommInitRank(void** communicator, int ranks, UniqueId id, int rank) {
  int whole = ranks == 8 && rank == 3;
  for (int i = 0; i < 128; ++i) whole &= id.bytes[i] == 255 - i;
  *communicator = communicator;
  return whole ? 0 : 5;
}

const char* ncclGetErrorString(int result) { return result == 0 ? "fake success" : "fake error"; }

int ncclAllReduce(const void* from, void* to, uint64_t count, int type, int operation,
                  void* communicator, void* stream) {
  return from == to && count == 1ULL << 40 && type == 7 && operation == 0 && communicator != 0 &&
                 stream == (void*)-1
             ? 0
             : 5;
}
