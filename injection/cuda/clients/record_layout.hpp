// The offsets of the members of CUPTI's records that differ between clients. Records grow at their
// end, so these offsets are the same in all versions of CUPTI.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace prof::cuda::clients {

struct RecordLayout {
  static constexpr unsigned kMaxTimes = 5;
  std::int32_t kind;
  std::uint16_t times[kMaxTimes];  // offsets, 0: no more
  std::uint16_t correlation;       // 0: none
  std::uint16_t thread;            // 0: none
};

// Returns the layout, or null if records of the kind are the same for all clients.
const RecordLayout* layout_of(CUpti_ActivityKind kind);

template <class Value>
Value& value_at(void* record, std::uint16_t offset) {
  return *reinterpret_cast<Value*>(static_cast<std::byte*>(record) + offset);
}

// Replaces each time of the record by what `convert` returns for it.
template <class Convert>
void convert_times(void* record, const RecordLayout& layout, Convert&& convert) {
  for (const std::uint16_t offset : layout.times) {
    if (offset == 0) break;
    auto& time = value_at<std::uint64_t>(record, offset);
    time = convert(time);
  }
}

}  // namespace prof::cuda::clients
