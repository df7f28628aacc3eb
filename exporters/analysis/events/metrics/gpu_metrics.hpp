// Reads the sampled metrics of GPUs: SMs active, DRAM bandwidth, clocks, …
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kGpuMetricTable = "GPU_METRICS";
inline constexpr const char* kGpuMetricNames = "TARGET_INFO_GPU_METRICS";

struct GpuMetric {
  std::int64_t id;   // metricId
  std::string name;  // "SMs Active [Throughput %]"

  bool is_percent() const { return name.ends_with("%]"); }
};

// A GPU whose metrics were sampled.
struct MeteredGpu {
  std::int64_t type_id;
  std::vector<GpuMetric> metrics;  // by id
  std::int64_t period = 0;         // ns between samples: the median of the first ones

  std::int64_t id() const { return type_id & 0xFF; }  // TARGET_INFO_GPU.id
  // Returns the index of the metric whose name begins with `prefix`, or -1 if no such metric was
  // sampled.
  int index_of(std::string_view prefix) const;
};

// Reads the GPUs, sorted by id. The result is empty if the report has no samples.
base::Result<std::vector<MeteredGpu>> read_metered_gpus(const report::ReportReader& reader);

// Value in MetricSample::values of a metric that the sample lacks.
inline constexpr std::int64_t kNoValue = INT64_MIN;

struct MetricSample {
  std::int64_t start;  // ns; the values are averages from here to start + MeteredGpu::period
  std::size_t gpu;     // index in the list of GPUs
  std::span<const std::int64_t> values;  // by index in MeteredGpu::metrics
};

// Visits the samples in the order of the table, which is the order of time for each GPU.
base::Status for_each_metric_sample(const report::ReportReader& reader,
                                    const std::vector<MeteredGpu>& gpus,
                                    const std::function<void(const MetricSample&)>& visit);

}  // namespace prof::events
