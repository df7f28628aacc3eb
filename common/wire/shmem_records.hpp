// Record of the OpenSHMEM trace (injection/oshmem).
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

struct ShmemCallRecord {
  RecordHeader header;  // aux: id of the function
  std::uint64_t start;
  std::uint64_t end;
  std::int64_t bytes;  // -1: the call moves no data
  std::int32_t peer;   // PE at the other end, in its team; -1: none
  std::uint32_t reserved;
};

static_assert(kIsRecord<ShmemCallRecord> && sizeof(ShmemCallRecord) == 40);

}  // namespace prof::wire
