// The iterations of a program: training steps, tokens, time steps of a simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/events/range_tree.hpp"
#include "exporters/insight/gpu_work.hpp"

namespace prof::insight {

struct Iterations {
  std::size_t device;           // index into GpuWork::devices()
  std::string found_by;         // "NVTX range :step", "period of 413 kernels"
  std::vector<Interval> times;  // at least three, in the order of time
};

inline constexpr std::size_t kLeastIterations = 3;

// NVTX ranges of one thread that come again and again: under the name `wanted` ("step", ":step" or
// "domain:step"); without one, those named after an iteration (step, iteration, batch). Numbers in
// names are not told apart: "step 7" and "step 8" are one name.
std::optional<Iterations> iterations_by_range(const GpuWork& work, const events::RangeTree& ranges,
                                              std::size_t device, const std::string& wanted);

// The period of the device's kernels: from each run of a kernel to its next, for the kernel between
// whose runs the same kernels come most regularly. The last period has no end and is left out.
std::optional<Iterations> iterations_by_kernels(const GpuWork& work, std::size_t device);

// Of a device: by a range of its name, else by kernels, else by the longest range that repeats.
std::optional<Iterations> find_iterations(const GpuWork& work, const events::RangeTree& ranges,
                                          std::size_t device);

}  // namespace prof::insight
