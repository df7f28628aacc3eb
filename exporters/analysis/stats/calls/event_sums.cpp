// cuda_api_sum, osrt_sum, openacc_sum, openmp_sum, syscall_sum: time in events, by name.
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/selection/thinning.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/text_sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

using tables::Table;

namespace {

// Collects the events of all tables whose names match the pattern. `missing`: see named().
base::Result<ValueGroups> values_of(const report::ReportReader& reader, const char* pattern,
                                    const char* missing = "[Unknown]") {
  TextGroups groups;
  for (const std::string& table : events::tables_like(reader, pattern))
    if (const base::Status read = add_events(reader, {table, {"nameId"}, {}}, groups); !read)
      return tl::make_unexpected(read.error());
  return named(reader, groups, missing);
}

base::Result<ValueGroups> api_values(const report::ReportReader& reader, bool with_version) {
  TextGroups groups;
  const base::Status read =
      add_events(reader, {events::kApiTable, {"nameId"}, events::api_calls()}, groups);
  if (!read) return tl::make_unexpected(read.error());
  events::remark_on_backtrace_rows(reader);
  if (with_version) return named(reader, groups);
  events::Strings strings(reader);
  return value_groups(groups, [&](std::int64_t name) {
    return std::vector<std::string>{std::string(events::without_version(strings.text(name)))};
  });
}

}  // namespace

base::Result<ValueGroups> cuda_api_values(const report::ReportReader& reader, const Arguments&) {
  return api_values(reader, false);
}

base::Result<ValueGroups> versioned_api_values(const report::ReportReader& reader,
                                               const Arguments&) {
  return api_values(reader, true);
}

base::Result<Table> cuda_api_sum(const report::ReportReader& reader, const Arguments& arguments) {
  return table_of(kCallSum, cuda_api_values(reader, arguments));
}

namespace {

base::Result<Table> thinned_osrt_sum(const report::ReportReader& reader) {
  WeightedGroups<std::int64_t> groups;
  const base::Status read = events::for_each_event(
      reader, {events::kOsrtTable, {"nameId", "weight"}, events::osrt_calls()},
      [&](const events::Times& times, const report::Row& row) {
        groups.add(row.integer_or(0, events::Strings::kNone), times.duration(),
                   row.integer_or(1, 1));
      });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  return summary_table(groups, "Num Calls", {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{std::string(strings.text(name))};
  });
}

}  // namespace

base::Result<ValueGroups> osrt_values(const report::ReportReader& reader, const Arguments&) {
  TextGroups groups;
  const base::Status read =
      add_events(reader, {events::kOsrtTable, {"nameId"}, events::osrt_calls()}, groups);
  if (!read) return tl::make_unexpected(read.error());
  return named(reader, groups);
}

base::Result<Table> osrt_sum(const report::ReportReader& reader, const Arguments& arguments) {
  if (events::has_weights(reader, events::kOsrtTable)) return thinned_osrt_sum(reader);
  return table_of(kCallSum, osrt_values(reader, arguments));
}

base::Result<ValueGroups> openacc_values(const report::ReportReader& reader, const Arguments&) {
  return values_of(reader, events::kOpenAccTables);
}

base::Result<Table> openacc_sum(const report::ReportReader& reader, const Arguments& arguments) {
  return table_of(kEventSum, openacc_values(reader, arguments));
}

base::Result<ValueGroups> openmp_values(const report::ReportReader& reader, const Arguments&) {
  return values_of(reader, events::kOpenMpTables, "");  // as nsys
}

base::Result<Table> openmp_sum(const report::ReportReader& reader, const Arguments& arguments) {
  return table_of(kEventSum, openmp_values(reader, arguments));
}

base::Result<ValueGroups> syscall_values(const report::ReportReader& reader, const Arguments&) {
  return values_of(reader, events::kSyscallTable);
}

base::Result<Table> syscall_sum(const report::ReportReader& reader, const Arguments& arguments) {
  return table_of(kCallSum, syscall_values(reader, arguments));
}

}  // namespace prof::stats
