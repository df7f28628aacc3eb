// NVTX ranges that never ended.
#pragma once

#include <cstdint>

#include "exporters/events/nvtx_ranges.hpp"
#include "exporters/events/rows.hpp"

namespace prof::formats {

inline constexpr std::int64_t kNvtxMark = 34;  // ENUM_NSYS_EVENT_TYPE

// The latest time in NVTX_EVENTS. Ranges without an end count up to it, as in nsys.
inline base::Result<std::int64_t> nvtx_end(const report::ReportReader& reader) {
  std::int64_t latest = 0;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format(
          "SELECT MAX(COALESCE(\"end\", start)) FROM {} WHERE COALESCE(\"end\", start) <= {}",
          events::kNvtxTable, events::kMaxTime),
      [&](const report::Statement& row) { latest = row.integer(0); });
  if (!read) return tl::make_unexpected(read.error());
  return latest;
}

}  // namespace prof::formats
