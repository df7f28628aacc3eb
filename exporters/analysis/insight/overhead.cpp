#include "exporters/analysis/insight/overhead.hpp"

#include <string>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

base::Result<Overhead> read_overhead(const report::ReportReader& reader) {
  constexpr const char* kTable = "PROFILER_OVERHEAD";
  Overhead overhead;
  if (!reader.has_table(kTable)) return overhead;
  // A thread that launches faster than the GPU works waits for room among the launches, also
  // without a profiler. CUPTI reports these times, too.
  std::string where = "WHERE globalTid IS NOT NULL";
  if (reader.has_column(kTable, "nameId"))
    where +=
        " AND nameId NOT IN (SELECT id FROM StringIds WHERE value LIKE '%command buffer full')";
  const base::Status read = events::for_each_event(
      reader, {kTable, {"globalTid"}, {}, where},
      [&](const events::Times& times, const report::Row& row) {
        overhead[events::process_of(row.integer(0))].push_back({times.start, times.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  return overhead;
}

}  // namespace prof::insight
