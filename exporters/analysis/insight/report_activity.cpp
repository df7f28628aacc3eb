#include "exporters/analysis/insight/report_activity.hpp"

namespace prof::insight {

base::Result<ReportActivity> ReportActivity::read(const report::ReportReader& reader) {
  auto work = GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  return read(reader, *std::move(work));
}

base::Result<ReportActivity> ReportActivity::read(const report::ReportReader& reader,
                                                  GpuWork work) {
  auto calls = ApiTimeline::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  auto ranges = events::RangeTree::read(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  ReportActivity timeline{std::move(work), std::move(*calls), std::move(*ranges), {}};
  auto idle = idle_times(reader, timeline.work, timeline.calls, timeline.ranges);
  if (!idle) return tl::make_unexpected(idle.error());
  timeline.idle = std::move(*idle);
  return timeline;
}

}  // namespace prof::insight
