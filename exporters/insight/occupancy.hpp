// How many of a kernel's threads a GPU can run at once: CUDA's rules of theoretical occupancy.
#pragma once

#include <cstdint>

namespace prof::insight {

// Of one GPU, as TARGET_INFO_GPU has them.
struct GpuLimits {
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int threads_per_warp = 0;
  // Of a multiprocessor.
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int shared_memory = 0;  // bytes
};

struct LaunchShape {
  std::int64_t blocks = 0;         // of the grid
  int threads = 0;                 // of a block
  int registers = 0;               // of a thread
  std::int64_t shared_memory = 0;  // of a block, static and dynamic, bytes
};

enum class Limiter : std::uint8_t { kThreads, kRegisters, kSharedMemory, kBlocks };

struct Occupancy {
  std::int64_t blocks_per_multiprocessor = 0;  // 0: the limits are not known, or the kernel is over
  Limiter limiter = Limiter::kThreads;         // the first of those that allow no more blocks
  double percent = 0;                          // of the warps that a multiprocessor can hold
  double waves = 0;                            // how often the grid fills the GPU
  double tail_percent = 0;                     // of the last wave's places that stay empty
};

Occupancy occupancy_of(const LaunchShape& launch, const GpuLimits& gpu);

}  // namespace prof::insight
