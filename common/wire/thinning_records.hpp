// Records of --max-overhead. A thread then leaves calls and ranges out, and says for each one that
// it records how many it stands for.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::wire {

// Comes just before a CallRecord, NvtxPushRecord or NvtxEventRecord: the number of calls or ranges
// that it stands for, the last of which it is. Without such a record it stands for itself.
struct WeightRecord {
  RecordHeader header;  // aux: the number, at least 2; flags: type of that record
};

enum class Thinned : std::uint8_t { kCalls = 0, kRanges = 1 };

// What a thread left out after its last record of a function or of ranges with a text.
struct UnrecordedRecord {
  RecordHeader header;  // aux: how many; flags: Thinned
  std::uint64_t what;   // function id, or string hash of the text
  std::uint32_t tid;    // of the thread, which may be another one than the record's
  std::uint32_t domain;
};

// What a thread did and left out in a period. Periods in which nothing is left out have none.
struct ThinningRecord {
  RecordHeader header;  // aux: thread id; flags: Thinned
  std::uint64_t from, to;
  std::uint64_t events;    // that there were
  std::uint64_t recorded;  // of these
  std::uint64_t cost;      // that prof estimates, in clock units
};

static_assert(sizeof(WeightRecord) == 8 && sizeof(UnrecordedRecord) == 24);
static_assert(sizeof(ThinningRecord) == 48);

}  // namespace prof::wire
