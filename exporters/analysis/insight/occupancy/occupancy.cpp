// The rules come from the CUDA programming guide ("Hardware Multithreading", "Occupancy
// Calculator", technical specifications by compute capability) and from the toolkit's
// cuda_occupancy.h.
// - A block has ceil(threads / 32) warps.
// - Each scheduler owns an equal part of the multiprocessor's registers. A warp gets registers in
//   units of 256 from its scheduler, so the number of warps is a multiple of the schedulers: 4, or
//   2 on compute capability 6.0.
// - The hardware refuses a block for which 65,536 registers are not enough if each scheduler got
//   the same number of its warps.
// - A block gets shared memory in units of 128 bytes from 8.0 on, and of 256 before. From 8.0 on
//   the system uses 1024 more bytes per block.
// - The driver assigns a part of the unified cache to shared memory. A report says how much; if it
//   does not, as much as possible is assumed. A kernel always gets what one block needs.
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace prof::insight {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kRegisterUnit = 256;         // of a warp
constexpr std::int64_t kRegistersPerBlock = 65536;  // from compute capability 7.0 on

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int schedulers_of(const GpuLimits& gpu) {
  return gpu.compute_major == 6 && gpu.compute_minor == 0 ? 2 : 4;
}

std::int64_t warps_per_block(const LaunchShape& launch, const GpuLimits& gpu) {
  return rounded_up(launch.threads, gpu.threads_per_warp) / gpu.threads_per_warp;
}

std::int64_t blocks_by_registers(const LaunchShape& launch, const GpuLimits& gpu) {
  if (launch.registers == 0) return kNoLimit;
  const std::int64_t warps = warps_per_block(launch, gpu);
  const int schedulers = schedulers_of(gpu);
  const std::int64_t per_warp = rounded_up(launch.registers * gpu.threads_per_warp, kRegisterUnit);
  if (per_warp * rounded_up(warps, schedulers) > kRegistersPerBlock) return 0;
  return gpu.registers / schedulers / per_warp * schedulers / warps;
}

// What the system adds to a block's shared memory, and the unit in which blocks get it, in bytes.
struct SharedMemoryUnits {
  std::int64_t reserved;
  std::int64_t unit;
};
SharedMemoryUnits shared_memory_units(const GpuLimits& gpu) {
  return gpu.compute_major >= 8 ? SharedMemoryUnits{1024, 128} : SharedMemoryUnits{0, 256};
}

std::int64_t blocks_by_shared_memory(const LaunchShape& launch, const GpuLimits& gpu) {
  const auto [reserved, unit] = shared_memory_units(gpu);
  const std::int64_t bytes = rounded_up(launch.shared_memory + reserved, unit);
  if (bytes == 0) return kNoLimit;
  const std::int64_t capacity = std::min<std::int64_t>(launch.shared_capacity, gpu.shared_memory);
  return (capacity >= bytes ? capacity : gpu.shared_memory) / bytes;
}

bool is_known(const GpuLimits& gpu) {
  return std::min({gpu.multiprocessors, gpu.threads_per_warp, gpu.warps, gpu.blocks, gpu.registers,
                   gpu.shared_memory}) > 0;
}

// True if CUDA allows such a launch. The limits are those of all compute capabilities, and below
// them the products in this file cannot overflow.
bool is_possible(const LaunchShape& launch) {
  constexpr int kMaxThreads = 1024;
  constexpr int kMaxRegisters = 256;
  return launch.threads > 0 && launch.threads <= kMaxThreads && launch.registers >= 0 &&
         launch.registers <= kMaxRegisters && launch.shared_memory >= 0 &&
         launch.shared_memory <= std::int64_t{1} << 40;
}

void count_waves(Occupancy& result, const LaunchShape& launch, const GpuLimits& gpu) {
  const auto wave =
      static_cast<double>(result.blocks_per_multiprocessor * std::int64_t{gpu.multiprocessors});
  result.waves = static_cast<double>(launch.blocks) / wave;
  result.tail_percent = 100 * (std::ceil(result.waves) - result.waves);
  // A multiprocessor with work has at least one block.
  const double blocks = std::max(1.0, static_cast<double>(launch.blocks) / gpu.multiprocessors);
  result.reachable_percent =
      result.percent *
      std::min(1.0, blocks / static_cast<double>(result.blocks_per_multiprocessor));
}

std::optional<Limiter> only_limiter(const Occupancy& occupancy) {
  std::optional<Limiter> result;
  for (std::size_t i = 0; i < kLimiters; ++i) {
    if (!occupancy.is_limited_by(static_cast<Limiter>(i))) continue;
    if (result) return std::nullopt;
    result = static_cast<Limiter>(i);
  }
  return result;
}

}  // namespace

Occupancy occupancy_of(const LaunchShape& launch, const GpuLimits& gpu) {
  Occupancy result;
  if (!is_known(gpu) || !is_possible(launch)) return result;
  const std::int64_t warps = warps_per_block(launch, gpu);
  result.limits = {gpu.warps / warps, blocks_by_registers(launch, gpu),
                   blocks_by_shared_memory(launch, gpu), gpu.blocks};
  result.blocks_per_multiprocessor = *std::min_element(result.limits.begin(), result.limits.end());
  if (result.blocks_per_multiprocessor == 0) return result;
  result.percent =
      100.0 * static_cast<double>(result.blocks_per_multiprocessor * warps) / gpu.warps;
  count_waves(result, launch, gpu);
  return result;
}

std::string limiter_text(const Occupancy& occupancy) {
  constexpr std::array<std::string_view, kLimiters> kNames{"threads", "registers", "shared memory",
                                                           "blocks"};
  std::string text;
  for (std::size_t i = 0; i < kLimiters; ++i) {
    if (!occupancy.is_limited_by(static_cast<Limiter>(i))) continue;
    if (!text.empty()) text += ", ";
    text += kNames[i];
  }
  return text;
}

OccupancyStep next_step(const LaunchShape& launch, const GpuLimits& gpu) {
  const Occupancy now = occupancy_of(launch, gpu);
  const auto limiter = only_limiter(now);
  if (now.blocks_per_multiprocessor == 0 || !limiter) return {};
  LaunchShape less = launch;
  OccupancyStep step;
  step.resource = *limiter;
  if (*limiter == Limiter::kRegisters) {
    const std::int64_t unit = kRegisterUnit / gpu.threads_per_warp;  // registers of a thread
    less.registers = rounded_up(launch.registers, unit);
    while (less.registers > unit && blocks_by_registers(less, gpu) == now.limits[1])
      less.registers -= unit;
    step.saved = launch.registers - less.registers;
  } else if (*limiter == Limiter::kSharedMemory) {
    const auto [reserved, unit] = shared_memory_units(gpu);
    less.shared_capacity = 0;  // The driver can set as much apart as the blocks need.
    less.shared_memory =
        gpu.shared_memory / (now.blocks_per_multiprocessor + 1) / unit * unit - reserved;
    if (less.shared_memory < 0) return {};
    step.saved = std::max<std::int64_t>(launch.shared_memory - less.shared_memory, 0);
  }
  step.percent = occupancy_of(less, gpu).percent;
  return step.saved > 0 && step.percent > now.percent ? step : OccupancyStep{};
}

}  // namespace prof::insight
