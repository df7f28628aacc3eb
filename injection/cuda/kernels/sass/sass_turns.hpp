// Which launches are counted by instruction. The counters and patched code exclude each other, so a
// run of a kernel has one of them. If both are wanted and the kernel runs once, the launch of the
// same kernel and size after one with counters is counted by instruction.
#pragma once

#include "injection/cuda/kernels/selection/plan.hpp"
#include "injection/cuda/kernels/selection/selection.hpp"

namespace prof::cuda::kernels {

// The next launch like this one has the turn.
void add_sass_turn(const Launch& launch);

// True if a launch like this one had counters, and none since was counted by instruction.
bool has_sass_turn(const Launch& launch);

// Decides about a launch that is profiled, and ends its turn. Only the owner of the profiler calls
// it.
bool takes_sass_turn(const Plan& plan, const Launch& launch);

}  // namespace prof::cuda::kernels
