// Finds the iterations of a program: training steps, tokens, time steps of a simulation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::insight {

struct Iterations {
  std::size_t device;           // index into GpuWork::devices()
  std::string found_by;         // "NVTX range :step" or "period of 413 kernels"
  std::vector<Interval> times;  // at least three, in the order of time
};

inline constexpr std::size_t kMinIterations = 3;

// Returns the median of the lengths in ns: the mean of the middle two if their number is even.
std::int64_t median_length(const Iterations& iterations);

// True if an iteration takes at least 1.5 times the median.
inline bool is_slow(const Interval& time, std::int64_t median) {
  return 2 * time.length() >= 3 * median;
}

// Finds the period of the device's kernels. It chooses the kernel between whose runs the same
// sequence of kernels repeats most regularly. An iteration goes from one run of this kernel to the
// next. The last period has no end and is left out.
std::optional<Iterations> iterations_by_kernels(const GpuWork& work, std::size_t device);

// Finds the iterations of devices. The GPU work and the ranges must outlive the object.
class IterationFinder {
 public:
  IterationFinder(const GpuWork& work, const events::RangeTree& ranges)
      : work_(work), ranges_(ranges) {}

  // Finds the iterations as repeated NVTX ranges of one thread. `wanted` is the name of the ranges
  // ("step", ":step" or "domain:step"). Numbers in names are ignored: "step 7" and "step 8" are the
  // same name. If no range has the name, ranges count whose names begin with it.
  std::optional<Iterations> by_range(std::size_t device, const std::string& wanted);

  // Finds a device's iterations: by a range whose name contains step, iter or batch, else by
  // kernels, else by the longest repeated range.
  std::optional<Iterations> find(std::size_t device);

 private:
  struct RangeKey {
    std::int64_t global_tid;
    std::string name;
    auto operator<=>(const RangeKey&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  using RangeGroups = std::map<RangeKey, std::vector<Interval>>;

  const RangeGroups& groups_of(std::size_t device);
  template <class Fits>
  const RangeGroups::value_type* longest_group(std::size_t device, Fits fits_name);
  template <class Fits>
  std::optional<Iterations> long_group(std::size_t device, Fits fits_name);
  static Iterations iterations_of(std::size_t device, const RangeGroups::value_type& group);

  const GpuWork& work_;
  const events::RangeTree& ranges_;
  std::map<std::int64_t, RangeGroups> groups_;  // by process
};

// Returns the lengths in ns of the iterations of the device that has the most. Empty: no device has
// iterations.
std::vector<std::int64_t> iteration_lengths(const GpuWork& work, const events::RangeTree& ranges);

}  // namespace prof::insight
