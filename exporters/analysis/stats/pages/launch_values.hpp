// What Nsight Compute knows about a launch without counters, under its names of metrics.
#pragma once

#include <map>
#include <string>

#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"

namespace prof::stats {

struct PageValue {
  double value = 0;
  std::string unit;
};
using PageValues = std::map<std::string, PageValue, std::less<>>;

// Adds what the launch says, except values that were measured.
void add_launch_values(const insight::ProfiledLaunch& launch, const insight::LaunchShape& shape,
                       const insight::GpuLimits& gpu, PageValues& values);

}  // namespace prof::stats
