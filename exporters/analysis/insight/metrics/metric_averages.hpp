// Averages of a GPU's sampled metrics over the times of ranges, kernels or whole runs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/metrics/physical_gpus.hpp"

namespace prof::insight {

// The values of one metric.
struct MetricSum {
  std::int64_t count = 0;
  double sum = 0;

  double average() const { return sum / static_cast<double>(count); }
};

// A group of times, such as all ranges of one name. A sample counts for it if the times cover
// all of its time but a tenth or, of a sample shorter than 50 us, but a pause between two kernels:
// 5 us, a quarter at most.
struct MetricGroup {
  Intervals times;
  std::int64_t samples = 0;
  std::vector<MetricSum> metrics = {};  // by index in MeteredGpu::metrics
};

// Adds each sample of a GPU to its groups.
class MetricAverager {
 public:
  MetricAverager(const events::MeteredGpu& gpu, std::vector<MetricGroup>& groups);

  // Samples in the order of time.
  void add(const events::MetricSample& sample);

 private:
  struct Part {
    Interval time;
    std::size_t group;
  };

  std::int64_t period_;
  std::vector<MetricGroup>& groups_;
  std::vector<Part> parts_;  // of all groups, by start
  std::size_t next_ = 0;     // part that is not active yet
  std::vector<Part> active_;
  std::vector<std::int64_t> covered_;  // by group, ns; all 0 between samples
};

// The times in which an operation ran on a GPU and no other one did.
struct SoloTime {
  const Operation* operation;
  Interval time;
};
std::vector<SoloTime> solo_times(const GpuWork& work, const PhysicalGpus& gpus, std::int64_t gpu);

}  // namespace prof::insight
