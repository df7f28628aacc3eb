// Statistics that sum up events by name, in two steps: they collect the values of each group, and
// make a table of the summaries. Between the two, values of several reports can be merged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/arguments.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

struct ValueGroup {
  std::vector<std::string> labels;
  std::vector<std::int64_t> values = {};  // durations in ns, or bytes: one for each event
  std::vector<std::int64_t> totals = {};  // further numbers of the group, which add up
};
using ValueGroups = std::vector<ValueGroup>;

struct GroupSummary {
  std::vector<std::string> labels;
  Durations values;
  std::vector<std::int64_t> totals = {};
  std::vector<tables::Cell> more = {};  // cells of further columns
};

// What the values are, and so the columns of the table.
enum class SumShape { kDurations, kSizes, kProjections, kStalls, kStallLines, kStallFunctions };

struct SumLayout {
  SumShape shape;
  const char* count;                  // the header of the number of events
  std::array<const char*, 4> labels;  // headers; unused ones are null
};

// Makes the table: one row for each group, largest total first. `more` are the headers of the
// further columns. They come before the labels, or at the end of a table that begins with labels.
tables::Table table_of(const SumLayout& layout, std::vector<GroupSummary> groups,
                       const std::vector<tables::ColumnSpec>& more = {});
base::Result<tables::Table> table_of(const SumLayout& layout, base::Result<ValueGroups> groups);

// Returns the groups in the order of their keys, with `labels_of(key)`.
template <class Groups, class LabelsOf>
ValueGroups value_groups(Groups& groups, LabelsOf labels_of) {
  ValueGroups result;
  for (auto& [key, values] : groups.take()) result.push_back({labels_of(key), std::move(values)});
  return result;
}

// A statistic whose values can be merged.
struct MergeableSum {
  const char* name;
  const SumLayout* layout;
  base::Result<ValueGroups> (*collect)(const report::ReportReader& reader,
                                       const Arguments& arguments);
  // In reports of --max-overhead, events of this table stand for several events. Their values are
  // estimates, which cannot be merged. Null: never.
  const char* estimated_table;
};

std::span<const MergeableSum> mergeable_sums();
const MergeableSum* find_mergeable_sum(std::string_view name);  // null if there is none

// Sums with the groups of nsys's recipes of these names: calls by name with the version; kernels by
// short name and device; copies and fills by kind (a number, -1: fills) and device.
std::span<const MergeableSum> recipe_sums();

using Collect = base::Result<ValueGroups>(const report::ReportReader& reader,
                                          const Arguments& arguments);
Collect cuda_api_values, osrt_values, openacc_values, openmp_values, syscall_values;
Collect kernel_values, kernel_launch_values, memory_times, memory_sizes;
Collect versioned_api_values, kernel_device_values, memory_device_times, memory_device_sizes;
Collect range_values, pushpop_values, startend_values, projection_values;
Collect stall_values, stall_line_values, stall_function_values;

// "Num Calls" of "Name", and so on.
inline constexpr SumLayout kCallSum{SumShape::kDurations, "Num Calls", {"Name"}};
inline constexpr SumLayout kEventSum{SumShape::kDurations, "Count", {"Name"}};
inline constexpr SumLayout kKernelSum{SumShape::kDurations, "Instances", {"Name"}};
inline constexpr SumLayout kKernelLaunchSum{
    SumShape::kDurations, "Instances", {"GridXYZ", "BlockXYZ", "Name"}};
inline constexpr SumLayout kMemoryTimeSum{SumShape::kDurations, "Count", {"Operation"}};
inline constexpr SumLayout kMemorySizeSum{SumShape::kSizes, "Count", {"Operation"}};
inline constexpr SumLayout kRangeSum{SumShape::kDurations, "Instances", {"Style", "Range"}};
inline constexpr SumLayout kRangeSumOfKind{SumShape::kDurations, "Instances", {"Range"}};
inline constexpr SumLayout kProjectionSum{
    SumShape::kProjections, "Range Instances", {"Range", "Style"}};
// The values are numbers of samples, one for each report.
inline constexpr SumLayout kStallSum{SumShape::kStalls, "", {"Stall", "The Warp", "Name"}};
inline constexpr SumLayout kStallLineSum{
    SumShape::kStallLines, "", {"Line", "Function", "Inlined", "Name"}};
inline constexpr SumLayout kStallFunctionSum{SumShape::kStallFunctions, "", {"File", "Function"}};

}  // namespace prof::stats
