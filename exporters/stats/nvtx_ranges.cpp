#include "exporters/stats/nvtx_ranges.hpp"

#include <string>

namespace prof::stats {

const char* range_style(std::int64_t type) {
  return type == kPushPopRange ? "PushPop" : "StartEnd";
}

base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit) {
  return report::scan(
      reader, std::string("rowid, eventType, start, end, endGlobalTid, ") + RangeNames::kColumns,
      "NVTX_EVENTS WHERE eventType IN (59, 60) AND end IS NOT NULL", [&](const report::Row& row) {
        const std::int64_t global_tid = row.integer(5);
        const bool one_thread = row.is_null(4) || row.integer(4) == global_tid;
        visit({row.integer(0), row.integer(1), row.integer(2), row.integer(3), global_tid,
               one_thread, names.number(row, 5)});
      });
}

base::Status for_each_range_time(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration)>& visit) {
  // Conditions in SQL would fetch type and end a second time.
  return report::scan(reader, std::string("eventType, end - start, ") + RangeNames::kColumns,
                      kNvtxTable, [&](const report::Row& row) {
                        const std::int64_t type = row.integer(0);
                        if ((type == kPushPopRange || type == kStartEndRange) && !row.is_null(1))
                          visit(type, names.number(row, 2), row.integer(1));
                      });
}

}  // namespace prof::stats
