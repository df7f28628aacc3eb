// Computes CUDA's theoretical occupancy: how many threads of a kernel a GPU can run at once.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::insight {

// The limits of one GPU, from TARGET_INFO_GPU.
struct GpuLimits {
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int threads_per_warp = 0;
  // The following limits are per multiprocessor.
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int shared_memory = 0;  // bytes
};

struct LaunchShape {
  std::int64_t blocks = 0;         // number of blocks in the grid
  std::int64_t threads = 0;        // per block
  std::int64_t registers = 0;      // per thread
  std::int64_t shared_memory = 0;  // per block, static and dynamic, bytes
  // The part of a multiprocessor's memory that the driver used as shared memory, in bytes. 0: not
  // recorded. The rest was cache.
  std::int64_t shared_capacity = 0;
  auto operator<=>(const LaunchShape&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Limiter : std::uint8_t { kThreads, kRegisters, kSharedMemory, kBlocks };
inline constexpr std::size_t kLimiters = 4;

struct Occupancy {
  std::int64_t blocks_per_multiprocessor = 0;  // 0: unknown limits, or the kernel exceeds them
  // The numbers of blocks that each resource allows, by Limiter. A resource that the kernel does
  // not use allows INT64_MAX.
  std::array<std::int64_t, kLimiters> limits = {};
  double percent = 0;  // share of the warps that a multiprocessor can hold
  // The share that multiprocessors with work can reach at most, because the grid has fewer blocks
  // than fit on them.
  double reachable_percent = 0;
  double waves = 0;         // how many times the blocks of the grid fill the GPU
  double tail_percent = 0;  // share of the last wave that stays empty

  bool is_limited_by(Limiter limiter) const {
    return limits[static_cast<std::size_t>(limiter)] == blocks_per_multiprocessor;
  }
};

Occupancy occupancy_of(const LaunchShape& launch, const GpuLimits& gpu);

// Returns all resources that limit the blocks on a multiprocessor: "registers, shared memory".
std::string limiter_text(const Occupancy& occupancy);

// The smallest saving of one resource with which one block more fits on a multiprocessor.
struct OccupancyStep {
  Limiter resource = Limiter::kRegisters;  // or shared memory
  std::int64_t saved = 0;                  // registers per thread, or bytes per block
  double percent = 0;                      // the occupancy with it
};

// Returns a step with `saved` 0 if neither resource is the only limiter.
OccupancyStep next_step(const LaunchShape& launch, const GpuLimits& gpu);

}  // namespace prof::insight
