#include "exporters/analysis/stats/value_groups.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stats/stall_table.hpp"

namespace prof::stats {

using tables::Cell;
using tables::CellKind;
using tables::ColumnSpec;

namespace {

constexpr double kMegabyteOfSum = 1e6;
constexpr int kMegabyteDecimals = 3;

constexpr MergeableSum kSums[] = {
    {"nvtx_sum", &kRangeSum, range_values, events::kNvtxTable},
    {"nvtx_pushpop_sum", &kRangeSumOfKind, pushpop_values, events::kNvtxTable},
    {"nvtx_startend_sum", &kRangeSumOfKind, startend_values, events::kNvtxTable},
    {"nvtx_gpu_proj_sum", &kProjectionSum, projection_values, nullptr},
    {"osrt_sum", &kCallSum, osrt_values, events::kOsrtTable},
    {"syscall_sum", &kCallSum, syscall_values, nullptr},
    {"openmp_sum", &kEventSum, openmp_values, nullptr},
    {"openacc_sum", &kEventSum, openacc_values, nullptr},
    {"cuda_api_sum", &kCallSum, cuda_api_values, nullptr},
    {"cuda_gpu_kern_sum", &kKernelSum, kernel_values, nullptr},
    {"cuda_gpu_kern_gb_sum", &kKernelLaunchSum, kernel_launch_values, nullptr},
    {"cuda_gpu_mem_time_sum", &kMemoryTimeSum, memory_times, nullptr},
    {"cuda_gpu_mem_size_sum", &kMemorySizeSum, memory_sizes, nullptr},
    {"pc_sampling_sum", &kStallSum, stall_values, nullptr},
    {"pc_sampling_lines", &kStallLineSum, stall_line_values, nullptr},
    {"pc_sampling_functions", &kStallFunctionSum, stall_function_values, nullptr},
};

constexpr MergeableSum kRecipeSums[] = {
    {"cuda_api_sum", &kCallSum, versioned_api_values, nullptr},
    {"cuda_gpu_kern_sum", &kKernelSum, kernel_device_values, nullptr},
    {"cuda_gpu_mem_time_sum", &kMemoryTimeSum, memory_device_times, nullptr},
    {"cuda_gpu_mem_size_sum", &kMemorySizeSum, memory_device_sizes, nullptr},
};

std::vector<ColumnSpec> size_columns() {
  std::vector<ColumnSpec> columns;
  for (const char* header :
       {"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)"})
    columns.push_back({header, CellKind::kReal, kMegabyteDecimals});
  columns[1] = {"Count", CellKind::kInteger};
  return columns;
}

std::vector<Cell> size_cells(const Durations& sizes) {
  const auto megabytes = [](auto bytes) { return static_cast<double>(bytes) / kMegabyteOfSum; };
  return {megabytes(sizes.total),    sizes.count,
          megabytes(sizes.average),  megabytes(sizes.median),
          megabytes(sizes.minimum),  megabytes(sizes.maximum),
          megabytes(sizes.deviation)};
}

std::vector<ColumnSpec> projection_columns() {
  return {
      {"Total Proj Time (ns)", CellKind::kInteger}, {"Total Range Time (ns)", CellKind::kInteger},
      {"Range Instances", CellKind::kInteger},      {"Proj Avg (ns)", CellKind::kReal, 1},
      {"Proj Med (ns)", CellKind::kReal, 1},        {"Proj Min (ns)", CellKind::kInteger},
      {"Proj Max (ns)", CellKind::kInteger},        {"Proj StdDev (ns)", CellKind::kReal, 1},
      {"Total GPU Ops", CellKind::kInteger},        {"Avg GPU Ops", CellKind::kReal, 1},
      {"Avg Range Lvl", CellKind::kReal, 1},        {"Avg Num Child", CellKind::kReal, 1}};
}

// The totals are the time of the ranges, and the numbers of operations, levels and children.
std::vector<Cell> projection_cells(const GroupSummary& group) {
  const Durations& times = group.values;
  const auto mean = [&](std::int64_t total) {
    return static_cast<double>(total) / static_cast<double>(times.count);
  };
  const std::vector<std::int64_t>& totals = group.totals;
  return {times.total,  totals[0],       times.count,     times.average,
          times.median, times.minimum,   times.maximum,   times.deviation,
          totals[1],    mean(totals[1]), mean(totals[2]), mean(totals[3])};
}

std::vector<ColumnSpec> columns_of(const SumLayout& layout) {
  if (layout.shape == SumShape::kSizes) return size_columns();
  if (layout.shape == SumShape::kProjections) return projection_columns();
  return summary_columns(layout.count);
}

std::vector<Cell> cells_of(const SumLayout& layout, const GroupSummary& group, double total) {
  if (layout.shape == SumShape::kSizes) return size_cells(group.values);
  if (layout.shape == SumShape::kProjections) return projection_cells(group);
  const double part = static_cast<double>(group.values.total);
  return summary_cells(group.values, total == 0 ? 0 : 100.0 * part / total);
}

// Groups with equal totals are sorted by the last label, as in nsys, and projections by the first.
std::vector<GroupSummary*> sorted_groups(const SumLayout& layout,
                                         std::vector<GroupSummary>& groups) {
  const bool by_first = layout.shape == SumShape::kProjections;
  std::vector<GroupSummary*> sorted;
  sorted.reserve(groups.size());
  for (GroupSummary& group : groups) sorted.push_back(&group);
  std::ranges::stable_sort(sorted, [&](const GroupSummary* a, const GroupSummary* b) {
    if (a->values.total != b->values.total) return a->values.total > b->values.total;
    return by_first ? a->labels < b->labels : a->labels.back() < b->labels.back();
  });
  return sorted;
}

}  // namespace

std::span<const MergeableSum> mergeable_sums() { return kSums; }

std::span<const MergeableSum> recipe_sums() { return kRecipeSums; }

const MergeableSum* find_mergeable_sum(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSums), std::end(kSums),
                                   [&](const MergeableSum& each) { return each.name == name; });
  return found == std::end(kSums) ? nullptr : found;
}

tables::Table table_of(const SumLayout& layout, std::vector<GroupSummary> groups,
                       const std::vector<ColumnSpec>& more) {
  if (layout.shape >= SumShape::kStalls) return stall_table(layout, std::move(groups), more);
  std::vector<ColumnSpec> labels;
  for (const char* header : layout.labels)
    if (header != nullptr) labels.push_back({header, CellKind::kText});
  const std::vector<ColumnSpec> values = columns_of(layout);
  const bool labels_first = layout.shape == SumShape::kProjections;
  tables::Table table;
  const auto add = [](auto& target, const auto& source) {
    target.insert(target.end(), source.begin(), source.end());
  };
  if (labels_first) add(table.columns, labels);
  add(table.columns, values);
  add(table.columns, more);
  if (!labels_first) add(table.columns, labels);

  std::int64_t total = 0;
  for (const GroupSummary& group : groups) total = events::sum(total, group.values.total);
  table.rows.reserve(groups.size());
  for (GroupSummary* group : sorted_groups(layout, groups)) {
    std::vector<Cell> row;
    row.reserve(table.columns.size());
    const auto add_labels = [&] {
      for (std::string& label : group->labels) row.emplace_back(std::move(label));
    };
    if (labels_first) add_labels();
    add(row, cells_of(layout, *group, static_cast<double>(total)));
    add(row, group->more);
    if (!labels_first) add_labels();
    table.rows.push_back(std::move(row));
  }
  return table;
}

base::Result<tables::Table> table_of(const SumLayout& layout, base::Result<ValueGroups> groups) {
  if (!groups) return tl::make_unexpected(groups.error());
  std::vector<GroupSummary> summaries;
  summaries.reserve(groups->size());
  for (ValueGroup& group : *groups)
    summaries.push_back(
        {std::move(group.labels), summarise(group.values), std::move(group.totals), {}});
  return table_of(layout, std::move(summaries));
}

}  // namespace prof::stats
