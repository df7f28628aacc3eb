#include "exporters/stats/nvtx_ranges.hpp"

#include <string>

namespace prof::stats {

const char* range_style(std::int64_t type) {
  return type == kPushPopRange ? "PushPop" : "StartEnd";
}

base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit) {
  constexpr int kName = 5;
  return report::scan(
      reader,
      std::string("rowid, eventType, start, end, COALESCE(endGlobalTid, globalTid) = globalTid, ") +
          RangeNames::kColumns,
      "NVTX_EVENTS WHERE eventType IN (59, 60) AND end IS NOT NULL", [&](const report::Row& row) {
        visit({row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(kName),
               row.integer(4) != 0, names.number(row, kName)});
      });
}

}  // namespace prof::stats
