// Records of --max-overhead. With this option a thread leaves calls and ranges out, and each record
// says how many calls or ranges it stands for.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::wire {

// The number of calls or ranges that the next record stands for, including itself as the last one.
// That record is a CallRecord, NvtxPushRecord or NvtxEventRecord. Without a WeightRecord it stands
// only for itself.
struct WeightRecord {
  RecordHeader header;  // aux: the number, at least 2; flags: type of that record
};

enum class Thinned : std::uint8_t { kCalls = 0, kRanges = 1 };

// What a thread left out after its last record of a function, or of ranges with a text.
struct UnrecordedRecord {
  RecordHeader header;  // aux: number left out; flags: Thinned
  std::uint64_t what;   // function id, or string hash of the text
  std::uint32_t tid;    // the thread, which may not be the one that writes the record
  std::uint32_t domain;
};

// What a thread did and left out in a period. A period in which nothing is left out has no record.
struct ThinningRecord {
  RecordHeader header;  // aux: thread id; flags: Thinned
  std::uint64_t from, to;
  std::uint64_t events;    // number of events in the period
  std::uint64_t recorded;  // number of events recorded
  std::uint64_t cost;      // prof's estimate, in clock units
};

static_assert(sizeof(WeightRecord) == 8 && sizeof(UnrecordedRecord) == 24);
static_assert(sizeof(ThinningRecord) == 48);

}  // namespace prof::wire
