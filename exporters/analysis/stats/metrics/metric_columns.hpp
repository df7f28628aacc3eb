// How statistics print GPU metrics.
#pragma once

#include <string>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// "SMs Active [Throughput %]" is printed as "SMs Active (%)".
std::string metric_header(const events::GpuMetric& metric);

// What the report's value means in the unit of the name: clocks are recorded in Hz and named MHz.
inline double in_unit_of_name(const events::GpuMetric& metric, double value) {
  return metric.name.ends_with("[MHz]") ? value / 1e6 : value;
}

inline tables::ColumnSpec metric_column(const events::GpuMetric& metric) {
  return {metric_header(metric), tables::CellKind::kReal, 1};
}

}  // namespace prof::stats
