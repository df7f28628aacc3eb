// Counter rotation: each launch of a kernel makes one pass. The passes of launches of the same
// kernel and size in a context are one profile. Only the owner of the profiler calls this.
#pragma once

#include "injection/cuda/kernels/profiler.hpp"
#include "injection/cuda/kernels/selection/selection.hpp"

namespace prof::cuda::kernels {

struct Rotation {
  std::uint64_t key;     // the kernel, the size and the context; 0: free
  std::uint32_t number;  // of the profile in the process, from 1; 0: none has begun
  std::size_t group;
  std::size_t pass;    // of the group
  CounterImage image;  // of a group with several passes
};

// Returns null if there are too many kernels.
Rotation* rotation_of(const Launch& launch);

// Returns what the next launch counts, and begins a profile if there is none.
Part next_part(const ChipPlan& made, Rotation& rotation);

// Returns how many passes of the profile have been made.
std::uint32_t passes_made(const ChipPlan& made, const Rotation& rotation);

// Called when a pass was made.
void advance(const ChipPlan& made, Rotation& rotation);

// Called when a pass failed. The passes of its group are made again.
void repeat_group(Rotation& rotation);

}  // namespace prof::cuda::kernels
