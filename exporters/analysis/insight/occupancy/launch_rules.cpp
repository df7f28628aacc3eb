// The rules and their estimates are Nsight Compute's: kernels with known answers are in its unit
// test.
#include "exporters/analysis/insight/occupancy/launch_rules.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace prof::insight {

namespace {

using Estimate = std::optional<LaunchEstimate>;

Estimate small_grid(const LaunchShape& launch, const GpuLimits& gpu) {
  if (launch.blocks <= 0 || launch.blocks >= gpu.multiprocessors) return std::nullopt;
  const double unused = 1 - static_cast<double>(launch.blocks) / gpu.multiprocessors;
  return LaunchEstimate{KernelRule::kSmallGrid, unused, unused};
}

// After enough full waves the last one hardly matters.
Estimate tail(const Occupancy& occupancy) {
  constexpr double kMinPart = 0.2;
  const double whole = std::floor(occupancy.waves);
  const double partial = occupancy.waves - whole;
  const double part = 1 / (whole + 1);
  if (whole < 1 || partial <= 0 || part < kMinPart) return std::nullopt;
  return LaunchEstimate{KernelRule::kTail, part, part * (1 - partial)};
}

Estimate partial_warps(const LaunchShape& launch, const GpuLimits& gpu) {
  const std::int64_t last = launch.threads % gpu.threads_per_warp;
  if (last == 0) return std::nullopt;
  const std::int64_t warps = launch.threads / gpu.threads_per_warp + 1;
  const double unused =
      (1 - static_cast<double>(last) / gpu.threads_per_warp) / static_cast<double>(warps);
  return LaunchEstimate{KernelRule::kPartialWarps, unused, unused};
}

// The warps of a multiprocessor are spread over its schedulers.
Estimate low_occupancy(const Occupancy& occupancy, const GpuLimits& gpu) {
  constexpr double kEnough = 80;  // percent
  constexpr double kSchedulers = 4;
  if (occupancy.percent >= kEnough) return std::nullopt;
  const double warps = occupancy.percent / 100 * gpu.warps;
  const double unused = 1 - std::ceil(warps / kSchedulers) / (gpu.warps / kSchedulers);
  return LaunchEstimate{KernelRule::kLowOccupancy, unused, 0};
}

}  // namespace

std::vector<LaunchEstimate> launch_rules(const LaunchShape& launch, const GpuLimits& gpu) {
  std::vector<LaunchEstimate> result;
  const Occupancy occupancy = occupancy_of(launch, gpu);
  if (occupancy.blocks_per_multiprocessor == 0) return result;
  for (const Estimate& each : {small_grid(launch, gpu), tail(occupancy), partial_warps(launch, gpu),
                               low_occupancy(occupancy, gpu)})
    if (each) result.push_back(*each);
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.part > b.part; });
  return result;
}

}  // namespace prof::insight
