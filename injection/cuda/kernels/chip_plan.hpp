// The metrics of the plan on one GPU: CUPTI's configuration of its counters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/cuda/kernels/plan.hpp"
#include "injection/cuda/kernels/range_api.hpp"

namespace prof::cuda::kernels {

struct ChipPlan {
  bool is_made = false;
  Failure failure;
  std::uint64_t chip = 0;  // string hash of its name
  CUpti_Profiler_Host_Object* host = nullptr;
  std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t passes = 0;
  std::size_t num_metrics = 0;
  const char* names[kMaxMetrics];
  std::uint64_t hashes[kMaxMetrics];
  double values[kMaxMetrics];  // of the last launch
};

// Returns the plan for a GPU; it is made at the first call. Only the owner of the profiler calls
// it. `context`: one of the GPU's. Returns null if there are too many GPUs.
ChipPlan* plan_for(const Plan& plan, std::uint32_t device, CUcontext context);

// Memory that lasts until the process ends. Returns null if there is none.
std::uint8_t* lasting_memory(std::size_t bytes);

}  // namespace prof::cuda::kernels
