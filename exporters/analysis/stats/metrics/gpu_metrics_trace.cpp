// gpu_metrics_trace: every sample of the GPU metrics, one column for each metric.
#include <algorithm>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/metrics/metric_columns.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> gpu_metrics_trace(const report::ReportReader& reader,
                                              const Arguments&) {
  const auto gpus = events::read_metered_gpus(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  // The metrics of all GPUs, because different chips have different metrics.
  std::vector<const events::GpuMetric*> metrics;
  std::vector<std::vector<std::size_t>> columns(gpus->size());  // by GPU and metric
  for (std::size_t gpu = 0; gpu < gpus->size(); ++gpu) {
    for (const events::GpuMetric& metric : (*gpus)[gpu].metrics) {
      const auto found = std::find_if(metrics.begin(), metrics.end(),
                                      [&](const auto* each) { return each->name == metric.name; });
      columns[gpu].push_back(static_cast<std::size_t>(found - metrics.begin()));
      if (found == metrics.end()) metrics.push_back(&metric);
    }
  }
  tables::Table table{{{"Start (ns)", CellKind::kInteger}, {"Duration (ns)", CellKind::kInteger}},
                      {}};
  for (const events::GpuMetric* metric : metrics) table.columns.push_back(metric_column(*metric));
  table.columns.push_back({"GPU", CellKind::kInteger});
  const base::Status read =
      events::for_each_metric_sample(reader, *gpus, [&](const events::MetricSample& sample) {
        const events::MeteredGpu& gpu = (*gpus)[sample.gpu];
        std::vector<tables::Cell> cells(metrics.size() + 3);
        cells[0] = sample.start;
        cells[1] = gpu.period;
        for (std::size_t i = 0; i < sample.values.size(); ++i)
          if (sample.values[i] != events::kNoValue)
            cells[2 + columns[sample.gpu][i]] =
                in_unit_of_name(gpu.metrics[i], static_cast<double>(sample.values[i]));
        cells.back() = gpu.id();
        table.rows.push_back(std::move(cells));
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
