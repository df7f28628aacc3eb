// Returns times of GPUs by name: of NVTX ranges, and of kernels that ran alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

namespace prof::stats {

using NamedTimes = std::map<std::string, insight::Intervals>;

// Returns for each name the times in which a range with the name was open on any thread.
base::Result<NamedTimes> times_of_ranges(const report::ReportReader& reader);

// Returns for each name the times in which a kernel or graph with the name was the only work on the
// GPU.
NamedTimes times_of_kernels(const insight::GpuWork& work, const insight::PhysicalGpus& gpus,
                            std::int64_t gpu);

}  // namespace prof::stats
