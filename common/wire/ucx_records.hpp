// Records of the UCX trace (injection/ucx). `aux` is the function's id, unless said otherwise.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// Flags of UcpTransferRecord.
inline constexpr std::uint8_t kUcpHasTag = 1;
inline constexpr std::uint8_t kUcpHasPeer = 2;
// The transfer itself, from the call to its completion. Otherwise the record is the call.
inline constexpr std::uint8_t kUcpIsProgress = 4;

// A call that sends, receives or accesses remote memory, or what it has begun.
struct UcpTransferRecord {
  RecordHeader header;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t buffer;  // address; 0: none
  std::int64_t bytes;    // -1: not known
  std::uint64_t tag;
  std::uint64_t peer;  // uid of the worker at the other end
};

// Any other call.
struct UcpCallRecord {
  RecordHeader header;
  std::uint64_t start;
  std::uint64_t end;
};

// A worker that the process has made.
struct UcpWorkerRecord {
  RecordHeader header;  // aux: 0
  std::uint64_t uid;
};

static_assert(kIsRecord<UcpTransferRecord> && sizeof(UcpTransferRecord) == 56);
static_assert(kIsRecord<UcpCallRecord> && sizeof(UcpCallRecord) == 24);
static_assert(kIsRecord<UcpWorkerRecord> && sizeof(UcpWorkerRecord) == 16);

}  // namespace prof::wire
