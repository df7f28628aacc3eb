// Records of the MPI trace (injection/mpi). `aux` is the function's id, unless said otherwise.
//
// Handles are the words that the program uses: pointers, or integers of 32 bits in MPICH. Sizes are
// those of the calling rank, in bytes; kMpiNoSize: not known, or the rank gave no such buffer.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

inline constexpr std::int64_t kMpiNoSize = -1;

// Flags of MpiMessageRecord.
inline constexpr std::uint8_t kMpiHasPeer = 1;
inline constexpr std::uint8_t kMpiHasTag = 2;
// A receipt with a wildcard: its sender is known when its request is done (kMpiIsDone).
inline constexpr std::uint8_t kMpiIsWildcard = 4;
inline constexpr std::int32_t kMpiAnySource = -1;  // as a peer: the wildcard

// A call that sends or receives a message, or half of a call that does both.
struct MpiMessageRecord {
  RecordHeader header;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t comm;     // 0: none (MPI_Mrecv)
  std::uint64_t request;  // 0: none, the call blocks
  std::int64_t bytes;
  std::int32_t peer;  // rank in the communicator, or kMpiAnySource
  std::int32_t tag;
};

// Who sends how much in a collective call.
enum class MpiShape : std::uint8_t {
  kNone = 0,        // no sizes are known, or there is no data
  kExchange = 1,    // each rank sends `send_bytes` to each, and receives `receive_bytes` from each
  kFromRoot = 2,    // the root sends to each
  kToRoot = 3,      // the root receives from each
  kScan = 4,        // each rank receives from itself and those before it
  kExscan = 5,      // each rank receives from those before it
  kSums = 6,        // sizes differ by rank; they are sums over all ranks
  kSumsAtRoot = 7,  // the same, and only the root has the sum
};

inline constexpr std::uint8_t kMpiShapeBits = 15;  // of the flags of MpiCollectiveRecord
inline constexpr std::uint8_t kMpiHasRoot = 16;
// A buffer is MPI_IN_PLACE: the rank does not count among those that it sends to and receives from.
inline constexpr std::uint8_t kMpiIsInPlace = 32;
// As a root: the calling rank, on an intercommunicator. It is MPI_ROOT of Open MPI.
inline constexpr std::int32_t kMpiRoot = -4;

struct MpiCollectiveRecord {
  RecordHeader header;  // flags: MpiShape, kMpiHasRoot, kMpiIsInPlace
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t comm;
  std::uint64_t request;  // 0: none, the call blocks
  std::int64_t send_bytes;
  std::int64_t receive_bytes;
  std::int32_t root;  // or kMpiRoot
  std::int32_t rank;  // own rank in the communicator
  std::int32_t size;  // number of ranks that the shape counts
  std::int32_t reserved;
};

// Flag of MpiRequestRecord: the request is done.
inline constexpr std::uint8_t kMpiIsDone = 1;

// A request that a call starts, tests or waits for. The call writes one such record for each of its
// requests, or for the one that MPI_Waitany or MPI_Testany found.
struct MpiRequestRecord {
  RecordHeader header;  // flags: kMpiIsDone
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t request;  // the handle before the call; 0: not known
  // Of the message that was received; the rank is that in the communicator. -1: the program did not
  // ask for the status, or the request was cancelled.
  std::int32_t source;
  std::int32_t tag;
};

inline constexpr std::uint8_t kMpiOwnTable = 1;  // flag: a call of which nsys has no row

// Any other call.
struct MpiCallRecord {
  RecordHeader header;  // flags: kMpiOwnTable
  std::uint64_t start;
  std::uint64_t end;
};

enum class MpiCommunicator : std::uint8_t {
  kWorld = 0,  // MPI_COMM_WORLD; written by the thread that initialized MPI
  kMade = 1,
  kCopied = 2,  // has the ranks of its parent
  kMerged = 3,  // made of both groups of an intercommunicator
  kInter = 4,   // an intercommunicator: rank and size are those of the own group
};

// A communicator that the process has got.
struct MpiCommunicatorRecord {
  RecordHeader header;  // aux: hash of the ranks in MPI_COMM_WORLD; flags: MpiCommunicator
  std::uint64_t time;
  std::uint64_t comm;
  std::uint64_t parent;     // 0: none
  std::int32_t rank;        // of the process in MPI_COMM_WORLD; -1: not known, as below
  std::int32_t local_rank;  // in this communicator
  std::int32_t size;
  std::int32_t group_root;  // rank in MPI_COMM_WORLD of the communicator's rank 0
};

static_assert(kIsRecord<MpiMessageRecord> && sizeof(MpiMessageRecord) == 56);
static_assert(kIsRecord<MpiCollectiveRecord> && sizeof(MpiCollectiveRecord) == 72);
static_assert(kIsRecord<MpiRequestRecord> && sizeof(MpiRequestRecord) == 40);
static_assert(kIsRecord<MpiCallRecord> && sizeof(MpiCallRecord) == 24);
static_assert(kIsRecord<MpiCommunicatorRecord> && sizeof(MpiCommunicatorRecord) == 48);

}  // namespace prof::wire
