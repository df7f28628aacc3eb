// nvtx_gpu_proj_trace, nvtx_gpu_proj_sum: NVTX ranges projected onto the GPU. A projection goes
// from the start of the first operation launched in the range to the end of the last one. A range
// in which nodes of a CUDA graph were captured has a projection for each launch of the graph.
#include <algorithm>
#include <future>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/second_reader.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/nvtx/ranges_of_launches.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

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

struct ProjectedRanges {
  RangeTree tree;
  std::vector<Projection> projections;
};

// Reads the operations with a second connection, in a thread beside that of the ranges.
base::Result<ProjectedRanges> read_projections(const report::ReportReader& reader,
                                               events::RangeOf range_of) {
  const events::SecondReader second(reader);
  auto reading = std::async(second.policy(), [&]() -> base::Result<LaunchedOperations> {
    const auto names = events::KernelNames::make(second.get(), {});
    if (!names) return tl::make_unexpected(names.error());
    return launched_operations(second.get(), *names, range_of);
  });
  auto tree = RangeTree::read(reader, RangeTree::Nesting::kAll, ranges_for(range_of));
  if (!tree) return tl::make_unexpected(tree.error());
  auto operations = reading.get();
  second.finish();
  if (!operations) return tl::make_unexpected(operations.error());
  Projector projector(*tree);
  for_each_range_of_launches(*tree, *operations, [&](const auto& operation, RangeOfOperation of) {
    projector.add(operation, of);
  });
  std::vector<Projection> projections = projector.take();
  return ProjectedRanges{*std::move(tree), std::move(projections)};
}

// The groups of projections by name and kind of range.
class ProjectionGroups {
 public:
  explicit ProjectionGroups(const RangeTree& tree)
      : tree_(tree), number_of_name_(kKinds * tree.name_count(), RangeTree::kNone) {}

  ValueGroup& of(const RangeTree::Range& range) {
    const bool is_push_pop = range.type == events::kPushPopRange;
    std::int32_t& number =
        number_of_name_[kKinds * static_cast<std::size_t>(range.name) + (is_push_pop ? 1 : 0)];
    if (number == RangeTree::kNone) {
      number = static_cast<std::int32_t>(groups_.size());
      ValueGroup& added = groups_.emplace_back();
      added.labels.reserve(2);
      added.labels.emplace_back(tree_.name_of(range));
      added.labels.emplace_back(events::range_style(range.type));
      added.totals.resize(4);
    }
    return groups_[static_cast<std::size_t>(number)];
  }
  ValueGroups take() { return std::move(groups_); }

 private:
  static constexpr std::size_t kKinds = 2;
  const RangeTree& tree_;
  std::vector<std::int32_t> number_of_name_;  // by name and kind
  ValueGroups groups_;
};

// The columns that the trace is sorted by.
constexpr std::size_t kStart = 1;
constexpr std::size_t kRangeId = 11;

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

}  // namespace

base::Result<tables::Table> nvtx_gpu_proj_trace(const report::ReportReader& reader,
                                                const Arguments& arguments) {
  const auto ranges = read_projections(reader, arguments.kernels.range_of);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const auto& [tree, projections] = *ranges;
  const bool has_captures = std::ranges::any_of(projections, &Projection::at_capture);
  tables::SharedTexts shared;
  tables::Table table{trace_columns(has_captures), {}};
  for (const Projection& projection : projections) {
    const RangeTree::Range range = tree.at(projection.range);
    table.rows.push_back({shared(tree.name_of(range)), projection.start, projection.duration(),
                          range.start, range.duration(), shared(events::range_style(range.type)),
                          events::pid_of(range.global_tid), events::tid_of(range.global_tid),
                          projection.operations, std::int64_t{range.level}, projection.children,
                          range.id, tables::optional_cell(tree.parent_id(range)),
                          tree.id_path(range)});
    if (has_captures)
      table.rows.back().push_back(shared(projection.at_capture ? "capture" : "launch"));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a[kStart], a[kRangeId]) < std::tie(b[kStart], b[kRangeId]);
  });
  return table;
}

base::Result<ValueGroups> projection_values(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  const auto ranges = read_projections(reader, arguments.kernels.range_of);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const auto& [tree, projections] = *ranges;
  ProjectionGroups groups(tree);
  for (const Projection& projection : projections) {
    const RangeTree::Range range = tree.at(projection.range);
    ValueGroup& group = groups.of(range);
    group.values.push_back(projection.duration());
    std::size_t total = 0;
    for (const std::int64_t value : {range.duration(), projection.operations,
                                     std::int64_t{range.level}, projection.children}) {
      group.totals[total] = events::sum(group.totals[total], value);
      ++total;
    }
  }
  return groups.take();
}

base::Result<tables::Table> nvtx_gpu_proj_sum(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  return table_of(kProjectionSum, projection_values(reader, arguments));
}

}  // namespace prof::stats
