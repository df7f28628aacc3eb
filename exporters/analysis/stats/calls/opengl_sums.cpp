// opengl_api_sum: time in calls of OpenGL. opengl_khr_range_sum, opengl_khr_gpu_range_sum: time in
// debug groups, on the CPU and on GPUs.
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

using tables::Table;

namespace {

// Sums by the text in a column of a table.
base::Result<Table> sums_by(const report::ReportReader& reader, const SumLayout& layout,
                            report::TableQuery query) {
  DurationGroups<std::int64_t> groups;  // by StringIds.id
  const base::Status read = events::for_each_event(
      reader, std::move(query), [&](const events::Times& times, const report::Row& row) {
        groups.add(row.integer_or(0, events::Strings::kNone), times.duration());
      });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  return table_of(layout, value_groups(groups, [&](std::int64_t text) {
                    return std::vector<std::string>{std::string(strings.text(text))};
                  }));
}

}  // namespace

base::Result<Table> opengl_api_sum(const report::ReportReader& reader, const Arguments&) {
  return sums_by(reader, kCallSum, {events::kOpenGlTable, {"nameId"}, {}});
}

base::Result<Table> opengl_khr_range_sum(const report::ReportReader& reader, const Arguments&) {
  return sums_by(reader, kRangeSumOfKind,
                 {events::kOpenGlGroupTable, {"textId"}, events::opengl_groups()});
}

base::Result<Table> opengl_khr_gpu_range_sum(const report::ReportReader& reader, const Arguments&) {
  return sums_by(reader, kRangeSumOfKind,
                 {events::kOpenGlGroupTable, {"textId"}, events::opengl_gpu_groups()});
}

}  // namespace prof::stats
