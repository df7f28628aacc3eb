// The rules come from the CUDA programming guide ("Hardware Multithreading", "Occupancy
// Calculator", technical specifications by compute capability) and from the toolkit's
// cuda_occupancy.h.
// - A block has ceil(threads / 32) warps.
// - Each scheduler owns an equal part of the multiprocessor's registers. A warp gets registers in
//   units of 256 from its scheduler, so the number of warps is a multiple of the schedulers: 4, or
//   2 on compute capability 6.0.
// - A block gets shared memory in units of 128 bytes from 8.0 on, and of 256 before. From 8.0 on
// the
//   system uses 1024 more bytes per block.
// - The driver assigns as much of the unified cache to shared memory as the kernel can use.
#include "exporters/analysis/insight/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace prof::insight {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t blocks_by_registers(const LaunchShape& launch, const GpuLimits& gpu,
                                 std::int64_t warps_per_block) {
  if (launch.registers == 0) return kNoLimit;
  constexpr std::int64_t kUnit = 256;
  const int schedulers = gpu.compute_major == 6 && gpu.compute_minor == 0 ? 2 : 4;
  const std::int64_t per_warp = rounded_up(launch.registers * gpu.threads_per_warp, kUnit);
  return gpu.registers / schedulers / per_warp * schedulers / warps_per_block;
}

std::int64_t blocks_by_shared_memory(const LaunchShape& launch, const GpuLimits& gpu) {
  const bool is_ampere_or_later = gpu.compute_major >= 8;
  const std::int64_t reserved = is_ampere_or_later ? 1024 : 0;
  const std::int64_t unit = is_ampere_or_later ? 128 : 256;
  const std::int64_t bytes = rounded_up(launch.shared_memory + reserved, unit);
  return bytes == 0 ? kNoLimit : gpu.shared_memory / bytes;
}

bool is_known(const GpuLimits& gpu) {
  return std::min({gpu.multiprocessors, gpu.threads_per_warp, gpu.warps, gpu.blocks, gpu.registers,
                   gpu.shared_memory}) > 0;
}

// True if the values are plausible. No GPU is near these limits, and below them the products in
// this file cannot overflow.
bool is_possible(const LaunchShape& launch) {
  constexpr int kMaximum = 1 << 20;
  return launch.threads > 0 && launch.threads <= kMaximum && launch.registers >= 0 &&
         launch.registers <= kMaximum && launch.shared_memory >= 0 &&
         launch.shared_memory <= std::int64_t{1} << 40;
}

void count_waves(Occupancy& result, std::int64_t blocks, const GpuLimits& gpu) {
  const auto wave =
      static_cast<double>(result.blocks_per_multiprocessor * std::int64_t{gpu.multiprocessors});
  result.waves = static_cast<double>(blocks) / wave;
  result.tail_percent = 100 * (std::ceil(result.waves) - result.waves);
}

}  // namespace

Occupancy occupancy_of(const LaunchShape& launch, const GpuLimits& gpu) {
  Occupancy result;
  if (!is_known(gpu) || !is_possible(launch)) return result;
  const std::int64_t warps =
      rounded_up(launch.threads, gpu.threads_per_warp) / gpu.threads_per_warp;
  // The numbers of blocks that each resource allows, in the order of Limiter.
  const std::int64_t limits[] = {gpu.warps / warps, blocks_by_registers(launch, gpu, warps),
                                 blocks_by_shared_memory(launch, gpu), gpu.blocks};
  const auto* least = std::min_element(std::begin(limits), std::end(limits));
  if (*least == 0) return result;
  result.blocks_per_multiprocessor = *least;
  result.limiter = static_cast<Limiter>(least - std::begin(limits));
  result.percent = 100.0 * static_cast<double>(*least * warps) / gpu.warps;
  count_waves(result, launch.blocks, gpu);
  return result;
}

const char* limiter_name(Limiter limiter) {
  switch (limiter) {
    case Limiter::kThreads:
      return "threads";
    case Limiter::kRegisters:
      return "registers";
    case Limiter::kSharedMemory:
      return "shared memory";
    case Limiter::kBlocks:
      break;
  }
  return "blocks";
}

}  // namespace prof::insight
