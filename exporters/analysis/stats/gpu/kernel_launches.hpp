// Groups the kernels of a report by name, GPU and launch configuration, for kernel_occupancy and
// kernel_rules.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

namespace prof::stats {

struct KernelLaunches {
  std::int64_t pid;
  std::int64_t device;
  events::KernelKey kernel;
  events::Dimensions grid;
  events::Dimensions block;
  insight::LaunchShape shape;
  insight::GpuLimits gpu;  // All limits are 0 for an unknown GPU.
  std::int64_t total;      // ns
  std::int64_t instances;
};

// Returns the groups in an order that does not depend on the report's.
base::Result<std::vector<KernelLaunches>> read_kernel_launches(const report::ReportReader& reader,
                                                               const events::KernelNames& names);

// Returns the time of all kernels, in ns.
std::int64_t total_time(const std::vector<KernelLaunches>& launches);

}  // namespace prof::stats
