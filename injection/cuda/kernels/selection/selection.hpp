// Which launches prof kernel profiles.
//
// The order is that of Nsight Compute: launches before the first one that counts are skipped
// (--launch-skip-before-match), then names, NVTX ranges and ids are compared, then matching
// launches are skipped (-s) and counted (-c).
#pragma once

#include <cuda.h>

#include <cstdint>

#include "injection/cuda/kernels/selection/plan.hpp"

namespace prof::cuda::kernels {

struct Launch {
  const char* name;  // mangled
  CUfunction function;
  CUstream stream_handle;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::uint32_t shared;  // dynamic, bytes
};

// Returns a hash of the size of the grid, of blocks and of their shared memory.
std::uint64_t key_of(const Launch& launch);

struct Choice {
  bool is_selected;
  std::uint32_t invocation;  // launches of this name before
};

// Decides about a launch and counts it. Any thread may call it.
Choice choose(const Plan& plan, const Launch& launch);

}  // namespace prof::cuda::kernels
