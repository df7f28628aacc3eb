// gpu_metric_util_sum: averages of GPU metrics: over the whole report, by NVTX range or by kernel.
#include <algorithm>
#include <cmath>
#include <functional>

#include "common/base/median.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/insight/metrics/metric_averages.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/metrics/metric_columns.hpp"
#include "exporters/analysis/stats/metrics/named_times.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using insight::MetricGroup;

// The values of a metric in the whole report.
struct Values {
  std::vector<float> all;
  double sum = 0;
  double sum_of_squares = 0;

  void add(double value) {
    all.push_back(static_cast<float>(value));
    sum += value;
    sum_of_squares += value * value;
  }
  double count() const { return static_cast<double>(all.size()); }
  double average() const { return sum / count(); }
  double deviation() const {
    if (all.size() < 2) return 0;
    return std::sqrt(std::max(0.0, sum_of_squares - sum * average()) / (count() - 1));
  }
  // Returns the median, and reorders the values.
  double median() { return base::upper_median(all); }
};

tables::Table whole_run_table() {
  return {{{"Samples", CellKind::kInteger},
           {"Avg", CellKind::kReal, 1},
           {"Med", CellKind::kReal, 1},
           {"Min", CellKind::kReal, 1},
           {"Max", CellKind::kReal, 1},
           {"StdDev", CellKind::kReal, 1},
           {"GPU", CellKind::kInteger},
           {"Metric", CellKind::kText}},
          {}};
}

base::Result<tables::Table> sum_of_run(const report::ReportReader& reader,
                                       const std::vector<events::MeteredGpu>& gpus) {
  std::vector<std::vector<Values>> values;
  for (const events::MeteredGpu& gpu : gpus) values.emplace_back(gpu.metrics.size());
  const base::Status read =
      events::for_each_metric_sample(reader, gpus, [&](const events::MetricSample& sample) {
        for (std::size_t i = 0; i < sample.values.size(); ++i)
          if (sample.values[i] != events::kNoValue)
            values[sample.gpu][i].add(in_unit_of_name(gpus[sample.gpu].metrics[i],
                                                      static_cast<double>(sample.values[i])));
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table = whole_run_table();
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (std::size_t i = 0; i < values[gpu].size(); ++i) {
      Values& each = values[gpu][i];
      if (each.all.empty()) continue;
      const auto [least, most] = std::minmax_element(each.all.begin(), each.all.end());
      const double minimum = *least;
      const double maximum = *most;
      table.rows.push_back({static_cast<std::int64_t>(each.all.size()), each.average(),
                            each.median(), minimum, maximum, each.deviation(), gpus[gpu].id(),
                            metric_header(gpus[gpu].metrics[i])});
    }
  }
  return table;
}

// Groups of one GPU and their names.
struct NamedGroups {
  std::vector<std::string> names;
  std::vector<MetricGroup> groups;
};

NamedGroups groups_of(NamedTimes times) {
  NamedGroups result;
  for (NamedTimes::value_type& each : times) {
    result.names.push_back(each.first);
    result.groups.push_back({std::move(each.second)});
  }
  return result;
}

// A metric that gets a column: a percentage that was not always 0, or the clock of the
// multiprocessors.
struct MetricColumn {
  const events::GpuMetric* metric;
  std::vector<int> indices;  // index in MeteredGpu::metrics, by GPU; -1: the GPU lacks it
};

std::vector<MetricColumn> columns_of(const std::vector<events::MeteredGpu>& gpus,
                                     const std::vector<std::vector<bool>>& has_values) {
  std::vector<MetricColumn> columns;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (std::size_t i = 0; i < gpus[gpu].metrics.size(); ++i) {
      const events::GpuMetric& metric = gpus[gpu].metrics[i];
      if (!has_values[gpu][i] || (!metric.is_percent() && !metric.name.ends_with("[MHz]")))
        continue;
      auto column = std::find_if(columns.begin(), columns.end(), [&](const MetricColumn& each) {
        return each.metric->name == metric.name;
      });
      if (column == columns.end())
        column = columns.insert(columns.end(), {&metric, std::vector<int>(gpus.size(), -1)});
      column->indices[gpu] = static_cast<int>(i);
    }
  }
  return columns;
}

std::vector<tables::Cell> group_cells(const MetricGroup& group,
                                      const std::vector<MetricColumn>& columns, std::size_t gpu) {
  std::vector<tables::Cell> cells = {insight::total(group.times), group.samples};
  for (const MetricColumn& column : columns) {
    const int index = column.indices[gpu];
    if (index < 0 || group.metrics[static_cast<std::size_t>(index)].count == 0)
      cells.emplace_back();
    else
      cells.emplace_back(in_unit_of_name(*column.metric,
                                         group.metrics[static_cast<std::size_t>(index)].average()));
  }
  return cells;
}

base::Result<tables::Table> sum_of_groups(const report::ReportReader& reader,
                                          const std::vector<events::MeteredGpu>& gpus,
                                          std::vector<NamedGroups> groups, const char* what) {
  std::vector<insight::MetricAverager> averagers;
  std::vector<std::vector<bool>> has_values;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    averagers.emplace_back(gpus[gpu], groups[gpu].groups);
    has_values.emplace_back(gpus[gpu].metrics.size());
  }
  const base::Status read =
      events::for_each_metric_sample(reader, gpus, [&](const events::MetricSample& sample) {
        averagers[sample.gpu].add(sample);
        for (std::size_t i = 0; i < sample.values.size(); ++i)
          if (sample.values[i] != events::kNoValue && sample.values[i] != 0)
            has_values[sample.gpu][i] = true;
      });
  if (!read) return tl::make_unexpected(read.error());
  const std::vector<MetricColumn> columns = columns_of(gpus, has_values);
  tables::Table table{{{"Time (ns)", CellKind::kInteger}, {"Samples", CellKind::kInteger}}, {}};
  for (const MetricColumn& column : columns) table.columns.push_back(metric_column(*column.metric));
  table.columns.push_back({"GPU", CellKind::kInteger});
  table.columns.push_back({what, CellKind::kText});
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (std::size_t i = 0; i < groups[gpu].names.size(); ++i) {
      auto cells = group_cells(groups[gpu].groups[i], columns, gpu);
      cells.insert(cells.end(), {gpus[gpu].id(), groups[gpu].names[i]});
      table.rows.push_back(std::move(cells));
    }
  }
  tables::sort_descending(table, 0);
  return table;
}

base::Result<tables::Table> sum_by_range(const report::ReportReader& reader,
                                         const std::vector<events::MeteredGpu>& gpus) {
  auto times = times_of_ranges(reader);
  if (!times) return tl::make_unexpected(times.error());
  return sum_of_groups(reader, gpus, {gpus.size(), groups_of(std::move(*times))}, "Range");
}

base::Result<tables::Table> sum_by_kernel(const report::ReportReader& reader,
                                          const std::vector<events::MeteredGpu>& gpus) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto numbers = insight::PhysicalGpus::read(reader);
  if (!numbers) return tl::make_unexpected(numbers.error());
  std::vector<NamedGroups> groups;
  for (const events::MeteredGpu& gpu : gpus)
    groups.push_back(groups_of(times_of_kernels(*work, *numbers, gpu.id())));
  return sum_of_groups(reader, gpus, std::move(groups), "Name");
}

}  // namespace

base::Result<tables::Table> gpu_metric_util_sum(const report::ReportReader& reader,
                                                const Arguments& arguments) {
  const auto gpus = events::read_metered_gpus(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  if (gpus->empty()) return tables::Table{};
  switch (arguments.metrics_by) {
    case MetricsBy::kRange:
      return sum_by_range(reader, *gpus);
    case MetricsBy::kKernel:
      return sum_by_kernel(reader, *gpus);
    default:
      break;
  }
  return sum_of_run(reader, *gpus);
}

}  // namespace prof::stats
