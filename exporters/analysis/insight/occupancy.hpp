// Computes CUDA's theoretical occupancy: how many threads of a kernel a GPU can run at once.
#pragma once

#include <cstdint>

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
};

enum class Limiter : std::uint8_t { kThreads, kRegisters, kSharedMemory, kBlocks };
const char* limiter_name(Limiter limiter);  // "shared memory"

struct Occupancy {
  std::int64_t blocks_per_multiprocessor = 0;  // 0: unknown limits, or the kernel exceeds them
  Limiter limiter = Limiter::kThreads;  // if several resources limit equally, the first of them
  double percent = 0;                   // share of the warps that a multiprocessor can hold
  double waves = 0;                     // how many times the blocks of the grid fill the GPU
  double tail_percent = 0;              // share of the last wave that stays empty
};

Occupancy occupancy_of(const LaunchShape& launch, const GpuLimits& gpu);

}  // namespace prof::insight
