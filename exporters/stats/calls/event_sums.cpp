// openacc_sum, openmp_sum, syscall_sum: time in events by name.
#include "collector/report/table_scan.hpp"
#include "exporters/events/event_tables.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

// Over all tables that fit the pattern.
base::Result<tables::Table> sum(const report::ReportReader& reader, const char* tables,
                                const char* count_header) {
  DurationGroups<std::int64_t> groups;
  for (const std::string& table : events::tables_like(reader, tables)) {
    const base::Status read = events::for_each_event(
        reader, table, "nameId", "", [&](const events::Times& times, const report::Row& row) {
          groups.add(row.integer_or(0, events::Strings::kNone), times.duration());
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  events::Strings strings(reader);
  return summary_table(groups, count_header, {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{strings.text(name)};
  });
}

}  // namespace

base::Result<tables::Table> openacc_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, events::kOpenAccTables, "Count");
}

base::Result<tables::Table> openmp_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, events::kOpenMpTables, "Count");
}

base::Result<tables::Table> syscall_sum(const report::ReportReader& reader, const Arguments&) {
  return sum(reader, events::kSyscallTable, "Num Calls");
}

}  // namespace prof::stats
