#include "exporters/stats/events/nvtx_ranges.hpp"

#include "exporters/stats/events/rows.hpp"

#include <string>

namespace prof::stats {

const char* range_style(std::int64_t type) {
  return type == kPushPopRange ? "PushPop" : "StartEnd";
}

base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit) {
  return for_each_event(reader, kNvtxTable,
                        std::string("rowid, eventType, endGlobalTid, ") + RangeNames::kColumns,
                        "WHERE eventType IN (59, 60) AND \"end\" IS NOT NULL",
                        [&](const Times& times, const report::Row& row) {
                          const std::int64_t global_tid = row.integer(3);
                          const bool one_thread = row.is_null(2) || row.integer(2) == global_tid;
                          visit({row.integer(0), row.integer(1), times.start, times.end, global_tid,
                                 one_thread, names.number(row, 3)});
                        });
}

base::Status for_each_range_time(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration)>& visit) {
  return for_each_event(reader, kNvtxTable, std::string("eventType, ") + RangeNames::kColumns,
                        "WHERE eventType IN (59, 60) AND \"end\" IS NOT NULL",
                        [&](const Times& times, const report::Row& row) {
                          visit(row.integer(0), names.number(row, 1), times.duration());
                        });
}

}  // namespace prof::stats
