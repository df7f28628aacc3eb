// Rules about a kernel launch that need only its shape: which part of its time it could save.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/insight/occupancy/kernel_rule.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

namespace prof::insight {

struct LaunchEstimate {
  KernelRule rule;
  // The part of the kernel's time that could go at most, as Nsight Compute estimates it: 0 to 1.
  double part;
  // The part that could go if all blocks take equally long and the GPU had no idle places.
  // 0: unknown.
  double expected_part;
};

// Returns the rules that apply to a launch, largest part first. Nsight Compute also reads counters
// for kLowOccupancy, and its estimate is lower if few cycles have no instruction to issue.
std::vector<LaunchEstimate> launch_rules(const LaunchShape& launch, const GpuLimits& gpu);

}  // namespace prof::insight
