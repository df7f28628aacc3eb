#include "exporters/analysis/events/metrics/gpu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "common/base/median.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// Returns the median distance of the first samples in ns. A lost sample makes only one distance
// larger.
base::Result<std::int64_t> read_period(const report::ReportReader& reader, const MeteredGpu& gpu) {
  std::vector<std::int64_t> times;
  const base::Status read = for_each_row(
      reader,
      fmt::format("SELECT timestamp FROM {} WHERE typeId = {} AND metricId = {} LIMIT 1001",
                  kGpuMetricTable, gpu.type_id, gpu.metrics.front().id),
      [&](const report::Statement& row) { times.push_back(row.integer(0)); });
  if (!read) return tl::make_unexpected(read.error());
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] > times[i - 1]) steps.push_back(times[i] - times[i - 1]);
  return base::upper_median(steps);
}

// Finds the place of a value in MetricSample by its typeId and metricId.
class MetricPlaces {
 public:
  explicit MetricPlaces(const std::vector<MeteredGpu>& gpus) {
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      Places& places = by_type_[gpus[gpu].type_id];
      places.gpu = gpu;
      for (std::size_t i = 0; i < gpus[gpu].metrics.size(); ++i)
        places.metrics[gpus[gpu].metrics[i].id] = i;
    }
  }

  struct Places {
    std::size_t gpu;
    std::unordered_map<std::int64_t, std::size_t> metrics;
  };
  const Places* of(std::int64_t type_id) const {
    const auto found = by_type_.find(type_id);
    return found == by_type_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::int64_t, Places> by_type_;
};

// Collects the rows of one time in one sample.
class SampleRows {
 public:
  SampleRows(const std::vector<MeteredGpu>& gpus,
             const std::function<void(const MetricSample&)>& visit)
      : places_(gpus), visit_(visit), open_(gpus.size()) {
    for (std::size_t i = 0; i < gpus.size(); ++i) open_[i].values.resize(gpus[i].metrics.size());
  }

  void add(std::int64_t time, std::int64_t type_id, std::int64_t metric_id, std::int64_t value) {
    const MetricPlaces::Places* places = places_.of(type_id);
    if (places == nullptr) return;
    const auto metric = places->metrics.find(metric_id);
    if (metric == places->metrics.end()) return;
    Open& open = open_[places->gpu];
    if (open.time != time) {
      finish(places->gpu);
      open.time = time;
    }
    open.values[metric->second] = value;
  }

  void finish(std::size_t gpu) {
    Open& open = open_[gpu];
    if (open.time != kNoValue) visit_({open.time, gpu, open.values});
    std::fill(open.values.begin(), open.values.end(), kNoValue);
    open.time = kNoValue;
  }
  void finish() {
    for (std::size_t gpu = 0; gpu < open_.size(); ++gpu) finish(gpu);
  }

 private:
  struct Open {
    std::int64_t time = kNoValue;
    std::vector<std::int64_t> values;
  };

  MetricPlaces places_;
  const std::function<void(const MetricSample&)>& visit_;
  std::vector<Open> open_;  // by GPU
};

}  // namespace

int MeteredGpu::index_of(std::string_view prefix) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const GpuMetric& metric) {
    return metric.name.starts_with(prefix);
  });
  return found == metrics.end() ? -1 : static_cast<int>(found - metrics.begin());
}

base::Result<std::vector<MeteredGpu>> read_metered_gpus(const report::ReportReader& reader) {
  std::vector<MeteredGpu> gpus;
  if (!reader.has_table(kGpuMetricNames) || !reader.has_table(kGpuMetricTable)) return gpus;
  const base::Status read = for_each_row(
      reader,
      fmt::format("SELECT typeId, metricId, metricName FROM {} ORDER BY typeId & 255, 1, 2",
                  kGpuMetricNames),
      [&](const report::Statement& row) {
        if (gpus.empty() || gpus.back().type_id != row.integer(0))
          gpus.push_back({row.integer(0), {}});
        gpus.back().metrics.push_back({row.integer(1), std::string(row.text(2))});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (MeteredGpu& gpu : gpus) {
    const auto period = read_period(reader, gpu);
    if (!period) return tl::make_unexpected(period.error());
    gpu.period = *period;
  }
  std::erase_if(gpus, [](const MeteredGpu& gpu) { return gpu.period == 0; });
  return gpus;
}

base::Status for_each_metric_sample(const report::ReportReader& reader,
                                    const std::vector<MeteredGpu>& gpus,
                                    const std::function<void(const MetricSample&)>& visit) {
  if (gpus.empty()) return {};
  SampleRows samples(gpus, visit);
  const base::Status read =
      report::scan(reader, {kGpuMetricTable, {"timestamp", "typeId", "metricId", "value"}},
                   [&](const report::Row& row) {
                     samples.add(row.integer(0), row.integer(1), row.integer(2), row.integer(3));
                   });
  samples.finish();
  return read;
}

}  // namespace prof::events
