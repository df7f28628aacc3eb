// Measures launches with CUPTI's range profiler, one launch of the process at a time.
#pragma once

#include "injection/cuda/kernels/chip_plan.hpp"
#include "injection/cuda/kernels/range_api.hpp"
#include "injection/cuda/kernels/selection/plan.hpp"

namespace prof::cuda::kernels {

// CUPTI's memory for the counters of a launch.
struct CounterImage {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;
};
void free_image(CounterImage& image);
// Makes room for `bytes`. Returns false if there is no memory.
bool reserve_image(CounterImage& image, std::size_t bytes);

// What a launch counts.
struct Part {
  const PassGroup* group = nullptr;
  std::size_t pass = 0;           // of the group, if the launch makes one
  bool is_last = true;            // the group's metrics have values afterwards
  bool is_replayed = false;       // CUPTI runs the kernel for each pass of the group
  CounterImage* image = nullptr;  // null: the context's
  std::size_t launches = 1;       // at most, each of which has values of its own
};

// Initializes what counters and SASS metrics need, once. CUPTI 13.0 crashes without it.
Failure initialize_profiler();

// Finds the plan of the launch's GPU. `made` is set if it is known, also if this fails.
Failure find_plan(const Plan& plan, std::uint32_t device, CUcontext context, ChipPlan*& made);

// Prepares the counters of the launches' context and starts them.
Failure start_counting(CUcontext context, const ChipPlan& made, const Part& part);

// Stops the counters. `counted`: launches since the start.
Failure stop_counting(CUcontext context, const Part& part, std::size_t& counted);

// Fills ChipPlan::values of the part's group with those of a launch, counted from 0. For the last
// pass of the group.
Failure evaluate_launch(CUcontext context, ChipPlan& made, const Part& part, std::size_t launch);

// True if the counters of a context are on.
bool are_counters_on();

// Switches the counters of all contexts off. The next launch switches them on again.
void disable_counters();

// True if CUPTI will refuse every other launch of the process, too.
bool is_final(const Failure& failure);

}  // namespace prof::cuda::kernels
