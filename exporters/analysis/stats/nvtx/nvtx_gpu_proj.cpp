// nvtx_gpu_proj_trace, nvtx_gpu_proj_sum: NVTX ranges projected onto the GPU. A projection goes
// from the start of the first operation launched in the range to the end of the last one.
#include <algorithm>
#include <map>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/nvtx/ranges_of_launches.hpp"

namespace prof::stats {

using events::RangeTree;
using tables::CellKind;

namespace {

struct Projection {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t operations = 0;
  std::int64_t children = 0;  // number of child ranges with operations

  void add(const LaunchedOperation& operation) {
    start = operations == 0 ? operation.start : std::min(start, operation.start);
    end = operations == 0 ? operation.end : std::max(end, operation.end);
    ++operations;
  }
  std::int64_t duration() const { return end - start; }
};

// Makes one projection for each range of the tree. Projections without operations are not printed.
base::Result<std::vector<Projection>> project(const report::ReportReader& reader,
                                              const RangeTree& tree) {
  const auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  auto operations = launched_operations(reader, *names);
  if (!operations) return tl::make_unexpected(operations.error());
  std::vector<Projection> projections(tree.size());
  for_each_range_of_launches(tree, *operations, [&](const auto& operation, std::int32_t range) {
    if (range != RangeTree::kNone) projections[static_cast<std::size_t>(range)].add(operation);
  });
  for (std::size_t i = 0; i < projections.size(); ++i) {
    const std::int32_t parent = tree.at(i).parent;
    if (parent != RangeTree::kNone && projections[i].operations > 0)
      ++projections[static_cast<std::size_t>(parent)].children;
  }
  return projections;
}

// The columns to sort by: two of the trace and one of the sum.
constexpr std::size_t kStart = 1;
constexpr std::size_t kRangeId = 11;
constexpr std::size_t kTotal = 2;

std::vector<tables::ColumnSpec> trace_columns() {
  std::vector<tables::ColumnSpec> result{{"Name", CellKind::kText}};
  for (const char* header :
       {"Projected Start (ns)", "Projected Duration (ns)", "Orig Start (ns)", "Orig Duration (ns)"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"Style", CellKind::kText});
  for (const char* header : {"PID", "TID", "NumGPUOps", "Lvl", "NumChild", "RangeId", "ParentId"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"RangeStack", CellKind::kText});
  return result;
}

// The ranges with one name and style.
struct Group {
  std::vector<std::int64_t> durations;
  std::int64_t range_time = 0;
  std::int64_t operations = 0;
  std::int64_t levels = 0;
  std::int64_t children = 0;
};

std::vector<tables::ColumnSpec> sum_columns() {
  return {{"Range", CellKind::kText},
          {"Style", CellKind::kText},
          {"Total Proj Time (ns)", CellKind::kInteger},
          {"Total Range Time (ns)", CellKind::kInteger},
          {"Range Instances", CellKind::kInteger},
          {"Proj Avg (ns)", CellKind::kReal, 1},
          {"Proj Med (ns)", CellKind::kReal, 1},
          {"Proj Min (ns)", CellKind::kInteger},
          {"Proj Max (ns)", CellKind::kInteger},
          {"Proj StdDev (ns)", CellKind::kReal, 1},
          {"Total GPU Ops", CellKind::kInteger},
          {"Avg GPU Ops", CellKind::kReal, 1},
          {"Avg Range Lvl", CellKind::kReal, 1},
          {"Avg Num Child", CellKind::kReal, 1}};
}

std::vector<tables::Cell> sum_row(const std::string& name, std::int64_t type, Group& group) {
  const Durations times = summarise(group.durations);
  const auto mean = [&](std::int64_t total) {
    return static_cast<double>(total) / static_cast<double>(times.count);
  };
  return {name,
          events::range_style(type),
          times.total,
          group.range_time,
          times.count,
          times.average,
          times.median,
          times.minimum,
          times.maximum,
          times.deviation,
          group.operations,
          mean(group.operations),
          mean(group.levels),
          mean(group.children)};
}

}  // namespace

base::Result<tables::Table> nvtx_gpu_proj_trace(const report::ReportReader& reader,
                                                const Arguments&) {
  const auto tree = RangeTree::read(reader, RangeTree::Nesting::kAll);
  if (!tree) return tl::make_unexpected(tree.error());
  const auto projections = project(reader, *tree);
  if (!projections) return tl::make_unexpected(projections.error());
  tables::SharedTexts shared;
  tables::Table table{trace_columns(), {}};
  for (std::size_t i = 0; i < projections->size(); ++i) {
    const Projection& projection = (*projections)[i];
    const RangeTree::Range range = tree->at(i);
    if (projection.operations == 0) continue;
    table.rows.push_back({shared(tree->name_of(range)), projection.start, projection.duration(),
                          range.start, range.duration(), shared(events::range_style(range.type)),
                          events::pid_of(range.global_tid), events::tid_of(range.global_tid),
                          projection.operations, std::int64_t{range.level}, projection.children,
                          range.id, tables::optional_cell(tree->parent_id(range)),
                          tree->id_path(range)});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a[kStart], a[kRangeId]) < std::tie(b[kStart], b[kRangeId]);
  });
  return table;
}

base::Result<tables::Table> nvtx_gpu_proj_sum(const report::ReportReader& reader,
                                              const Arguments&) {
  const auto tree = RangeTree::read(reader, RangeTree::Nesting::kAll);
  if (!tree) return tl::make_unexpected(tree.error());
  const auto projections = project(reader, *tree);
  if (!projections) return tl::make_unexpected(projections.error());
  std::map<std::pair<std::string, std::int64_t>, Group> groups;
  for (std::size_t i = 0; i < projections->size(); ++i) {
    const Projection& projection = (*projections)[i];
    const RangeTree::Range range = tree->at(i);
    if (projection.operations == 0) continue;
    Group& group = groups[{tree->name_of(range), range.type}];
    group.durations.push_back(projection.duration());
    group.range_time += range.duration();
    group.operations += projection.operations;
    group.levels += range.level;
    group.children += projection.children;
  }
  tables::Table table{sum_columns(), {}};
  for (auto& [key, group] : groups) table.rows.push_back(sum_row(key.first, key.second, group));
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a[kTotal] > b[kTotal]; });
  return table;
}

}  // namespace prof::stats
