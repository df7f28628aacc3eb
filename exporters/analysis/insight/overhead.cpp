#include "exporters/analysis/insight/overhead.hpp"

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

base::Result<Overhead> read_overhead(const report::ReportReader& reader) {
  constexpr const char* kTable = "PROFILER_OVERHEAD";
  Overhead overhead;
  if (!reader.has_table(kTable)) return overhead;
  const base::Status read = events::for_each_event(
      reader, {kTable, {"globalTid"}, {}, "WHERE globalTid IS NOT NULL"},
      [&](const events::Times& times, const report::Row& row) {
        overhead[events::process_of(row.integer(0))].push_back({times.start, times.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  return overhead;
}

}  // namespace prof::insight
