// Application replay: each run of the program makes one pass. CUPTI puts the counters of all passes
// of a launch into one image, so a run leaves it to the next one in a file. Only the owner of the
// profiler calls this.
#pragma once

#include <cstdint>

#include "injection/cuda/kernels/profiler.hpp"
#include "injection/cuda/kernels/selection/selection.hpp"

namespace prof::cuda::kernels {

// A selected launch of the process.
struct OrderedLaunch {
  const Launch* launch;
  std::uint32_t order;  // from 1
};

// Returns what the launch counts in this run; a part without a group: nothing is left to count.
Part part_of_run(const ChipPlan& made, std::size_t run);

// Reads what the run before has left, if the part needs it. Returns why not if it had another
// launch in this place.
Failure load_image(const Plan& plan, const OrderedLaunch& launch, const Part& part);

// Leaves the image to the next run, if the part is not the last one of its group.
Failure save_image(const Plan& plan, const OrderedLaunch& launch, const Part& part);

}  // namespace prof::cuda::kernels
