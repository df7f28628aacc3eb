// openacc_sum, openmp_sum, syscall_sum: time in events by name.
#include "collector/report/table_scan.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/events/event_tables.hpp"
#include "exporters/stats/events/rows.hpp"
#include "exporters/stats/events/strings.hpp"

namespace prof::stats {

namespace {

// Over all tables that fit the pattern.
base::Result<Table> sum(const report::ReportReader& reader, const char* tables,
                        const char* count_header) {
  DurationGroups<std::int64_t> groups;
  for (const std::string& table : tables_like(reader, tables)) {
    const base::Status read = for_each_event(
        reader, table, "nameId", "", [&](const Times& times, const report::Row& row) {
          groups.add(row.integer_or(0, Strings::kNone), times.duration());
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  Strings strings(reader);
  return summary_table(groups, count_header, {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{strings.text(name)};
  });
}

}  // namespace

base::Result<Table> openacc_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, kOpenAccTables, "Count");
}

base::Result<Table> openmp_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, kOpenMpTables, "Count");
}

base::Result<Table> syscall_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, kSyscallTable, "Num Calls");
}

}  // namespace prof::stats
