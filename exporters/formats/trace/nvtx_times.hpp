// Reads the properties of NVTX events that traces show besides their names.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::formats {

inline constexpr std::int64_t kNvtxMark = 34;  // ENUM_NSYS_EVENT_TYPE

// Returns these columns: globalTid, domainId, text, textId, payload (JSON), and whether the range
// never ended.
inline report::ScanColumns nvtx_columns(const report::ReportReader& reader) {
  return {"globalTid",
          "domainId",
          "text",
          "textId",
          report::column_or(reader, events::kNvtxTable, "jsonText"),
          report::column_or(reader, events::kNvtxTable, "isOpen")};
}

struct NvtxTimes {
  std::int64_t latest =
      0;  // ns, latest time in the table; ranges without an end extend to it, as in nsys
  std::set<std::int64_t> types = {};  // event types of ranges and marks
};

// Reads the latest time in NVTX_EVENTS and the event types that occur in it.
inline base::Result<NvtxTimes> nvtx_times(const report::ReportReader& reader) {
  NvtxTimes times;
  std::int64_t last_type = -1;
  const base::Status read = report::scan(
      reader, {events::kNvtxTable, {"eventType", "start", "end"}}, [&](const report::Row& row) {
        const std::int64_t end = row.integer_or(2, row.integer(1));
        if (end <= events::kMaxTime) times.latest = std::max(times.latest, end);
        if (row.integer(0) == last_type) return;
        last_type = row.integer(0);
        if (last_type == kNvtxMark || last_type == events::kPushPopRange ||
            last_type == events::kStartEndRange)
          times.types.insert(last_type);
      });
  if (!read) return tl::make_unexpected(read.error());
  return times;
}

}  // namespace prof::formats
