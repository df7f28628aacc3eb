#include "exporters/events/nvtx_ranges.hpp"

#include "exporters/events/rows.hpp"

#include <string>

namespace prof::events {

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
  std::int64_t faulty = 0;
  // The conditions are not in SQL, because SQLite would fetch type and end twice.
  base::Status read =
      report::scan(reader, std::string("eventType, start, \"end\", ") + RangeNames::kColumns,
                   kNvtxTable, [&](const report::Row& row) {
                     const std::int64_t type = row.integer(0);
                     if ((type != kPushPopRange && type != kStartEndRange) || row.is_null(2))
                       return;
                     const Times times{row.integer_or(1, INT64_MAX), row.integer(2)};
                     if (times.is_valid())
                       visit(type, names.number(row, 3), times.duration());
                     else
                       ++faulty;
                   });
  if (faulty > 0) reader.note_faulty(kNvtxTable, faulty);
  return read;
}

}  // namespace prof::events
