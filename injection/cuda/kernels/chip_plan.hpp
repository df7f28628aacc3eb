// The metrics of the plan on one GPU: CUPTI's configurations of its counters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/cuda/kernels/host_object.hpp"
#include "injection/cuda/kernels/range_api.hpp"
#include "injection/cuda/kernels/selection/plan.hpp"

namespace prof::cuda::kernels {

// Metrics that are counted together, in one or several passes.
struct PassGroup {
  CUpti_Profiler_Host_Object* host = nullptr;
  ConfigImage config;
  std::size_t first = 0;  // in the arrays of ChipPlan
  std::size_t num_metrics = 0;
};

struct ChipPlan {
  bool is_made = false;
  Failure failure;
  std::uint64_t chip = 0;  // string hash of its name
  // If each pass is made by another launch or run, the first group has the metrics that fit
  // into one pass, and the second one all others. Else there is one group.
  PassGroup groups[2];
  std::size_t num_groups = 0;
  std::size_t passes = 0;  // of all groups
  std::size_t num_metrics = 0;
  const char* names[kMaxMetrics];
  std::uint64_t hashes[kMaxMetrics];
  double values[kMaxMetrics];  // of the last launch
};

// Returns the plan for a GPU; it is made at the first call. Only the owner of the profiler calls
// it. `context`: one of the GPU's. Returns null if there are too many GPUs,
// or no memory.
ChipPlan* plan_for(const Plan& plan, std::uint32_t device, CUcontext context);

}  // namespace prof::cuda::kernels
