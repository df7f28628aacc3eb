// Prints GPU metrics in statistics.
#pragma once

#include <string>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// Returns a heading such as "SMs Active (%)" for "SMs Active [Throughput %]".
std::string metric_header(const events::GpuMetric& metric);

// Converts the report's value to the unit in the name: clocks are recorded in Hz, but their names
// say MHz.
inline double in_unit_of_name(const events::GpuMetric& metric, double value) {
  return metric.name.ends_with("[MHz]") ? value / 1e6 : value;
}

inline tables::ColumnSpec metric_column(const events::GpuMetric& metric) {
  return {metric_header(metric), tables::CellKind::kReal, 1};
}

}  // namespace prof::stats
