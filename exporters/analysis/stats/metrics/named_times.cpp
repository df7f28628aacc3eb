#include "exporters/analysis/stats/metrics/named_times.hpp"

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/insight/metrics/metric_averages.hpp"

namespace prof::stats {

namespace {

NamedTimes all_merged(NamedTimes times) {
  for (auto& [name, each] : times) each = insight::merged(std::move(each));
  return times;
}

}  // namespace

base::Result<NamedTimes> times_of_ranges(const report::ReportReader& reader) {
  NamedTimes times;
  events::RangeNames names(reader);
  const base::Status read =
      events::for_each_range(reader, names, [&](const events::NvtxRange& range) {
        times[names.text(range.name)].push_back({range.start, range.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  return all_merged(std::move(times));
}

NamedTimes times_of_kernels(const insight::GpuWork& work, const insight::PhysicalGpus& gpus,
                            std::int64_t gpu) {
  NamedTimes times;
  for (const insight::SoloTime& solo : insight::solo_times(work, gpus, gpu)) {
    const insight::Operation operation = work.at(solo.operation);
    if (operation.kind == insight::WorkKind::kKernel || operation.kind == insight::WorkKind::kGraph)
      times[work.name_of(operation)].push_back(solo.time);
  }
  return all_merged(std::move(times));
}

}  // namespace prof::stats
