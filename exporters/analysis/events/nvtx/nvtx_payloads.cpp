#include "exporters/analysis/events/nvtx/nvtx_payloads.hpp"

#include <string>

#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

base::Status for_each_payload(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(const NvtxRange& range, std::string_view json)>& visit) {
  // Exports from before 2022.2 lack the column, and nsys leaves it empty by default.
  if (!reader.has_column(kNvtxTable, "jsonText")) return {};
  return report::scan(reader,
                      {kNvtxTable, report::ScanColumns{"eventType", "start", "end", "jsonText",
                                                       "rowid", "endGlobalTid"} +
                                       RangeNames::kColumns},
                      [&](const report::Row& row) {
                        const std::int64_t type = row.integer(0);
                        if (row.is_null(3) || (type != kPushPopRange && type != kStartEndRange &&
                                               type != kNvtxMarkType))
                          return;
                        const std::int64_t start = row.integer(1);
                        const Times times{start, row.integer_or(2, start)};
                        if (!times.is_valid()) return;
                        const std::int64_t global_tid = row.integer(6);
                        const bool one_thread = row.is_null(5) || row.integer(5) == global_tid;
                        visit({row.integer(4), type, times.start, times.end, global_tid, one_thread,
                               names.number(row, 6)},
                              row.text(3));
                      });
}

}  // namespace prof::events
