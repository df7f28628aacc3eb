// Counts what each machine instruction does in a launch (CUPTI's SASS metrics). CUPTI patches the
// code of the kernel for it, so the launch is slower, but it runs once. One launch of the process
// at a time.
#pragma once

#include "injection/cuda/kernels/range_api.hpp"
#include "injection/cuda/kernels/selection/plan.hpp"

namespace prof::cuda::kernels {

// The SASS metrics of the plan on one GPU.
struct SassPlan {
  bool is_made = false;
  bool is_configured = false;
  Failure failure;
  std::uint64_t chip = 0;  // string hash of its name
  std::size_t num_metrics = 0;
  CUpti_SassMetrics_Config configs[kMaxSassMetrics];
  std::uint64_t hashes[kMaxSassMetrics];  // of the names
};

// Returns the plan for a GPU; it is made at the first call. Returns null if there are too many
// GPUs.
SassPlan* sass_plan_for(const Plan& plan, std::uint32_t device);

// Prepares the code of the context to count in the next launch.
Failure start_sass_counts(std::uint32_t device, CUcontext context, SassPlan& made);

// Waits for the launch, reads the counts and takes the patches back.
Failure stop_sass_counts(CUcontext context);

// Writes the counts of the last launch, after its profile, and the code that they are of.
void write_sass_counts(const SassPlan& made);

// Has CUPTI say which code the program loads. Called after prof has subscribed.
void watch_code(const Plan& plan);

}  // namespace prof::cuda::kernels
