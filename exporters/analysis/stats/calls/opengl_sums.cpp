// opengl_api_sum: time in calls of OpenGL. opengl_khr_range_sum, opengl_khr_gpu_range_sum: time in
// debug groups, on the CPU and on GPUs.
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/stats/calls/text_sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::Table;

base::Result<Table> opengl_api_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_by_text(reader, kCallSum, {events::kOpenGlTable, {"nameId"}, {}});
}

base::Result<Table> opengl_khr_range_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_by_text(reader, kRangeSumOfKind,
                     {events::kOpenGlGroupTable, {"textId"}, events::opengl_groups()});
}

base::Result<Table> opengl_khr_gpu_range_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_by_text(reader, kRangeSumOfKind,
                     {events::kOpenGlGroupTable, {"textId"}, events::opengl_gpu_groups()});
}

}  // namespace prof::stats
