#include "exporters/analysis/stats/metrics/metric_columns.hpp"

namespace prof::stats {

std::string metric_header(const events::GpuMetric& metric) {
  const std::size_t bracket = metric.name.rfind(" [");
  if (bracket == std::string::npos || !metric.name.ends_with(']')) return metric.name;
  std::string unit = metric.name.substr(bracket + 2, metric.name.size() - bracket - 3);
  if (unit == "Throughput %") unit = "%";
  return metric.name.substr(0, bracket) + " (" + unit + ")";
}

}  // namespace prof::stats
