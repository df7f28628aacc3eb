// The kernels of a report by launch configuration, with their metrics: the input of statistics
// about launches and profiles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/insight/occupancy/kernel_launches.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"
#include "exporters/analysis/stats/arguments.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

struct KernelGroup {
  std::string name;
  insight::KernelLaunches launches;
  insight::MetricValues metrics;  // empty: not profiled
  insight::SourceHints hints;

  insight::ProfiledKernel kernel() const {
    return {name, launches.shape, launches.gpu, metrics, &hints};
  }
  bool is_profiled() const { return !metrics.by_name().empty(); }
};

struct KernelGroups {
  std::vector<KernelGroup> groups;
  std::int64_t total = 0;                    // ns, of all kernels
  std::map<std::string, std::string> units;  // by metric
};

base::Result<KernelGroups> read_kernel_groups(const report::ReportReader& reader,
                                              const Arguments& arguments);

// The last columns of all these statistics: where a kernel was launched, and its name.
void add_launch_columns(std::vector<tables::ColumnSpec>& columns);
void add_launch_cells(std::vector<tables::Cell>& cells, const KernelGroup& group);

}  // namespace prof::stats
