// What the traces show of NVTX events besides their names.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "exporters/events/nvtx_ranges.hpp"
#include "exporters/events/rows.hpp"

namespace prof::formats {

inline constexpr std::int64_t kNvtxMark = 34;  // ENUM_NSYS_EVENT_TYPE

// globalTid, domainId, text, textId, payload (JSON), whether the range never ended.
inline std::string nvtx_columns(const report::ReportReader& reader) {
  const auto column = [&](const char* name) {
    return reader.has_column(events::kNvtxTable, name) ? name : "NULL";
  };
  return fmt::format("globalTid, domainId, text, textId, {}, {}", column("jsonText"),
                     column("isOpen"));
}

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
