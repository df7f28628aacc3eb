// nvtx_gpu_proj_trace, nvtx_gpu_proj_sum: NVTX ranges projected onto the GPU. A projection goes
// from the start of the first operation launched in the range to the end of the last one. A range
// in which nodes of a CUDA graph were captured has a projection for each launch of the graph.
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
  std::int32_t range;
  bool at_capture;
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

// Projects the ranges of a tree. Operations come in the order of their calls.
class Projector {
 public:
  explicit Projector(const RangeTree& tree)
      : tree_(tree), at_launch_(tree.size(), kNone), at_capture_(tree.size(), kNone) {}

  void add(const LaunchedOperation& operation, RangeOfOperation of) {
    if (of.index == RangeTree::kNone) return;
    if (operation.call_start != call_start_ || operation.global_tid != global_tid_) finish_call();
    call_start_ = operation.call_start;
    global_tid_ = operation.global_tid;
    std::int32_t& place = (of.at_capture ? at_capture_ : at_launch_)[index(of.index)];
    if (place == kNone) {
      place = static_cast<std::int32_t>(all_.size());
      all_.push_back({of.index, of.at_capture});
      if (of.at_capture) captured_.push_back(of.index);
    }
    all_[index(place)].add(operation);
  }

  // Returns the projections that have operations, in the order of the tree.
  std::vector<Projection> take() {
    finish_call();
    for (std::size_t range = 0; range < at_launch_.size(); ++range)
      if (at_launch_[range] != kNone) count_child(static_cast<std::int32_t>(range), at_launch_);
    std::ranges::stable_sort(all_, {}, &Projection::range);
    return std::move(all_);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  using Places = std::vector<std::int32_t>;  // by range: its projection

  static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

  void count_child(std::int32_t range, const Places& places) {
    const std::int32_t parent = tree_.at(range).parent;
    if (parent == RangeTree::kNone || places[index(parent)] == kNone) return;
    ++all_[index(places[index(parent)])].children;
  }

  // The next call begins new projections of the ranges of captures.
  void finish_call() {
    for (const std::int32_t range : captured_) count_child(range, at_capture_);
    for (const std::int32_t range : captured_) at_capture_[index(range)] = kNone;
    captured_.clear();
  }

  const RangeTree& tree_;
  std::vector<Projection> all_;
  Places at_launch_;
  Places at_capture_;                   // in the call
  std::vector<std::int32_t> captured_;  // the ranges with a place in at_capture_
  std::int64_t call_start_ = 0;
  std::int64_t global_tid_ = 0;
};

base::Result<std::vector<Projection>> project(const report::ReportReader& reader,
                                              const RangeTree& tree, events::RangeOf range_of) {
  const auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  auto operations = launched_operations(reader, *names, range_of);
  if (!operations) return tl::make_unexpected(operations.error());
  Projector projector(tree);
  for_each_range_of_launches(tree, *operations, [&](const auto& operation, RangeOfOperation of) {
    projector.add(operation, of);
  });
  return projector.take();
}

// The columns to sort by: two of the trace and one of the sum.
constexpr std::size_t kStart = 1;
constexpr std::size_t kRangeId = 11;
constexpr std::size_t kTotal = 2;

// Only a report with ranges of captures has the last column, so that others are as in nsys.
std::vector<tables::ColumnSpec> trace_columns(bool has_captures) {
  std::vector<tables::ColumnSpec> result{{"Name", CellKind::kText}};
  for (const char* header :
       {"Projected Start (ns)", "Projected Duration (ns)", "Orig Start (ns)", "Orig Duration (ns)"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"Style", CellKind::kText});
  for (const char* header : {"PID", "TID", "NumGPUOps", "Lvl", "NumChild", "RangeId", "ParentId"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"RangeStack", CellKind::kText});
  if (has_captures) result.push_back({"Captured", CellKind::kText});
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
                                                const Arguments& arguments) {
  const auto tree = RangeTree::read(reader, RangeTree::Nesting::kAll);
  if (!tree) return tl::make_unexpected(tree.error());
  const auto projections = project(reader, *tree, arguments.kernels.range_of);
  if (!projections) return tl::make_unexpected(projections.error());
  const bool has_captures = std::ranges::any_of(*projections, &Projection::at_capture);
  tables::SharedTexts shared;
  tables::Table table{trace_columns(has_captures), {}};
  for (const Projection& projection : *projections) {
    const RangeTree::Range range = tree->at(projection.range);
    table.rows.push_back({shared(tree->name_of(range)), projection.start, projection.duration(),
                          range.start, range.duration(), shared(events::range_style(range.type)),
                          events::pid_of(range.global_tid), events::tid_of(range.global_tid),
                          projection.operations, std::int64_t{range.level}, projection.children,
                          range.id, tables::optional_cell(tree->parent_id(range)),
                          tree->id_path(range)});
    if (has_captures)
      table.rows.back().push_back(shared(projection.at_capture ? "capture" : "launch"));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a[kStart], a[kRangeId]) < std::tie(b[kStart], b[kRangeId]);
  });
  return table;
}

base::Result<tables::Table> nvtx_gpu_proj_sum(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  const auto tree = RangeTree::read(reader, RangeTree::Nesting::kAll);
  if (!tree) return tl::make_unexpected(tree.error());
  const auto projections = project(reader, *tree, arguments.kernels.range_of);
  if (!projections) return tl::make_unexpected(projections.error());
  std::map<std::pair<std::string, std::int64_t>, Group> groups;
  for (const Projection& projection : *projections) {
    const RangeTree::Range range = tree->at(projection.range);
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
