// osrt_sum: OS-runtime calls by function.
#include "collector/report/table_scan.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/strings.hpp"

namespace prof::stats {

base::Result<Table> osrt_sum(const report::ReportReader& reader, const Arguments&) {
  DurationGroups<std::int64_t> groups;
  // Other event classes mark where nsys started and stopped tracing.
  const base::Status read =
      report::scan(reader, "nameId, end - start", "OSRT_API WHERE eventClass = 27",
                   [&](const report::Row& row) { groups.add(row.integer(0), row.integer(1)); });
  if (!read) return tl::make_unexpected(read.error());
  Strings strings(reader);
  return summary_table(groups, "Num Calls", {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{strings.text(name)};
  });
}

}  // namespace prof::stats
