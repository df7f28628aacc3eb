// Measures one launch with CUPTI's range profiler. One launch of the process at a time.
#pragma once

#include "injection/cuda/kernels/chip_plan.hpp"
#include "injection/cuda/kernels/plan.hpp"
#include "injection/cuda/kernels/range_api.hpp"

namespace prof::cuda::kernels {

// Initializes what counters and SASS metrics need, once. CUPTI 13.0 crashes without it.
Failure initialize_profiler();

// Prepares the counters of the launch's context and starts them. `made` is set if the plan of the
// GPU is known, also if this fails.
Failure start_counting(const Plan& plan, std::uint32_t device, CUcontext context, ChipPlan*& made);

// Stops the counters and fills ChipPlan::values.
Failure stop_counting(CUcontext context, ChipPlan& made);

// True if the counters of a context are on.
bool are_counters_on();

// Switches the counters of all contexts off. The next launch switches them on again.
void disable_counters();

// True if CUPTI will refuse every other launch of the process, too.
bool is_final(const Failure& failure);

}  // namespace prof::cuda::kernels
