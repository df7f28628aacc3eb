#include "exporters/analysis/stats/pages/launch_values.hpp"

#include <algorithm>
#include <cstdint>

namespace prof::stats {

namespace {

void add_occupancy(const insight::LaunchShape& shape, const insight::GpuLimits& gpu,
                   PageValues& values) {
  const insight::Occupancy occupancy = insight::occupancy_of(shape, gpu);
  if (occupancy.blocks_per_multiprocessor == 0) return;
  const auto limit = [&](insight::Limiter limiter) {
    // A resource that the kernel does not use allows as many blocks as the GPU holds.
    return static_cast<double>(
        std::min<std::int64_t>(occupancy.limits.at(static_cast<std::size_t>(limiter)), gpu.blocks));
  };
  values.try_emplace("launch__occupancy_limit_blocks", limit(insight::Limiter::kBlocks), "block");
  values.try_emplace("launch__occupancy_limit_registers", limit(insight::Limiter::kRegisters),
                     "block");
  values.try_emplace("launch__occupancy_limit_shared_mem", limit(insight::Limiter::kSharedMemory),
                     "block");
  values.try_emplace("launch__occupancy_limit_warps", limit(insight::Limiter::kThreads), "block");
  values.try_emplace("launch__waves_per_multiprocessor", occupancy.waves, "");
  values.try_emplace("sm__maximum_warps_per_active_cycle_pct", occupancy.percent, "%");
  values.try_emplace("sm__maximum_warps_avg_per_active_cycle", occupancy.percent / 100 * gpu.warps,
                     "warp");
}

}  // namespace

void add_launch_values(const insight::ProfiledLaunch& launch, const insight::LaunchShape& shape,
                       const insight::GpuLimits& gpu, PageValues& values) {
  const auto add = [&](const char* name, std::int64_t value, const char* unit) {
    values.try_emplace(name, static_cast<double>(value), unit);
  };
  add("launch__block_size", shape.threads, "");
  add("launch__grid_size", shape.blocks, "");
  add("launch__registers_per_thread", shape.registers, "register/thread");
  add("launch__shared_mem_config_size", shape.shared_capacity, "byte");
  add("launch__shared_mem_per_block_dynamic", shape.shared_memory - launch.static_shared,
      "byte/block");
  add("launch__shared_mem_per_block_static", launch.static_shared, "byte/block");
  values.try_emplace("launch__thread_count",
                     static_cast<double>(shape.blocks) * static_cast<double>(shape.threads),
                     "thread");
  if (gpu.multiprocessors > 0) add("launch__sm_count", gpu.multiprocessors, "SM");
  add_occupancy(shape, gpu, values);
}

}  // namespace prof::stats
