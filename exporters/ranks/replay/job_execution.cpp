#include "exporters/ranks/replay/job_execution.hpp"

#include "exporters/analysis/events/report_views.hpp"

namespace prof::ranks {

base::Result<JobExecution> read_execution(const std::vector<PlannedReport>& reports,
                                          const FilterOf& filter_of, const CommonClock& clock) {
  JobExecution result;
  std::vector<ReportPart> parts;
  for (const PlannedReport& each : reports) {
    auto reader = report::ReportReader::open(each.path);
    if (!reader) return tl::make_unexpected(reader.error());
    // All collective operations are matched, also those that the filter leaves out.
    if (const base::Status made = events::make_views(*reader, {}); !made)
      return tl::make_unexpected(made.error());
    auto part = read_part(*reader, each.ranks);
    if (!part) return tl::make_unexpected(part.error());
    const auto filter = filter_of(*reader);
    if (!filter) return tl::make_unexpected(filter.error());
    if (const base::Status made = events::make_views(*reader, *filter); !made)
      return tl::make_unexpected(made.error());
    auto model = path::ExecutionModel::read(*reader);
    if (!model) return tl::make_unexpected(model.error());
    parts.push_back(*std::move(part));
    result.reports.push_back({*std::move(reader), *std::move(model)});
  }
  result.collectives = match_job(std::move(parts), clock);
  return result;
}

std::optional<JobEvent> JobEvents::call_at(std::size_t report, std::int64_t global_tid,
                                           std::int64_t start) const {
  const path::HostCalls& calls = reports_[report].model.calls();
  const std::uint32_t thread = calls.find_thread(global_tid);
  if (thread == path::kNowhere) return std::nullopt;
  const std::uint32_t at = calls.last_before(thread, start + 1);
  if (at == path::kNowhere || calls.start(at) != start) return std::nullopt;
  return JobEvent{false, at};
}

std::optional<JobEvent> JobEvents::kernel_at(std::size_t report, std::int64_t global_pid,
                                             std::int64_t start) {
  const path::ExecutionModel& model = reports_[report].model;
  auto& kernels = kernels_[report];
  if (kernels.empty())
    for (std::uint32_t i = 0; i < model.operations(); ++i) {
      const insight::Operation each = model.work().at(i);
      if (each.communication)
        kernels.emplace(std::pair(model.work().global_pid(each), each.start), i);
    }
  const auto at = kernels.find({global_pid, start});
  if (at == kernels.end()) return std::nullopt;
  return JobEvent{true, at->second};
}

}  // namespace prof::ranks
