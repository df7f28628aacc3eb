// Averages a GPU's sampled metrics over the times of ranges, kernels or whole runs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

namespace prof::insight {

// The count and the sum of one metric's values.
struct MetricSum {
  std::int64_t count = 0;
  double sum = 0;

  double average() const { return sum / static_cast<double>(count); }
};

// A group of times, such as all ranges of one name. A sample belongs to the group if at most a
// tenth of it lies outside of the times. For samples shorter than 50 us the limit is 5 us, the
// pause between two kernels, but at most a quarter of the sample.
struct MetricGroup {
  Intervals times;
  std::int64_t samples = 0;
  std::vector<MetricSum> metrics = {};  // by index in MeteredGpu::metrics
};

// Adds each sample of a GPU to its groups.
class MetricAverager {
 public:
  MetricAverager(const events::MeteredGpu& gpu, std::vector<MetricGroup>& groups);

  // Adds a sample. Samples must come in the order of time.
  void add(const events::MetricSample& sample);

 private:
  struct Part {
    Interval time;
    std::size_t group;
  };

  std::int64_t period_;
  std::vector<MetricGroup>& groups_;
  std::vector<Part> parts_;  // parts of all groups, sorted by start
  std::size_t next_ = 0;     // index of the first part that has not become active
  std::vector<Part> active_;
  std::vector<std::int64_t> covered_;  // ns, by group; all 0 between calls of add()
};

// A time in which this operation was the only one that ran on a GPU.
struct SoloTime {
  std::size_t operation;  // for GpuWork::at()
  Interval time;
};
std::vector<SoloTime> solo_times(const GpuWork& work, const PhysicalGpus& gpus, std::int64_t gpu);

}  // namespace prof::insight
