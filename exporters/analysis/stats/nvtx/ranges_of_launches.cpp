#include "exporters/analysis/stats/nvtx/ranges_of_launches.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/capture_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::stats {

using events::GraphNodes;
using events::NodeOrigin;
using events::RangeOf;
using events::RangeTree;

namespace {

class Launches {
 public:
  static base::Result<Launches> read(const report::ReportReader& reader, RangeOf range_of) {
    auto calls = events::ApiCalls::read(reader);
    if (!calls) return tl::make_unexpected(calls.error());
    Launches result(reader, std::move(*calls), range_of);
    if (range_of == RangeOf::kLaunch) return result;
    auto nodes = GraphNodes::read(reader);
    if (!nodes) return tl::make_unexpected(nodes.error());
    result.operations_.nodes = std::move(*nodes);
    return result;
  }

  base::Status add_kernels(const events::KernelNames& names) {
    return add(events::kKernelTable, names.column(), [&](const report::Row& row) {
      return names.key({.name = row.integer_or(kName, events::Strings::kNone),
                        .global_pid = row.integer(kProcess),
                        .correlation = row.integer(kCorrelation)});
    });
  }

  base::Status add_memory(const char* table) {
    return add(table, report::ScanColumn::null(),
               [](const report::Row&) { return events::KernelKey{}; });
  }

  LaunchedOperations take() { return std::move(operations_); }

 private:
  enum Column : int { kProcess, kCorrelation, kNode, kName };

  Launches(const report::ReportReader& reader, events::ApiCalls calls, RangeOf range_of)
      : reader_(reader), calls_(std::move(calls)), operations_{{}, {}, range_of} {}

  template <class Key>
  base::Status add(const char* table, const report::ScanColumn& name, Key key) {
    if (!reader_.has_table(table)) return {};
    const bool has_nodes = !operations_.nodes.all().empty();
    return events::for_each_event(
        reader_,
        {table,
         {"globalPid", "correlationId",
          has_nodes ? report::column_or(reader_, table, "graphNodeId") : report::ScanColumn::null(),
          name}},
        [&](const events::Times& times, const report::Row& row) {
          const std::int64_t process = row.integer(kProcess);
          const events::ApiCall* call =
              calls_.launching(process, row.integer(kCorrelation), near_call_);
          if (call == nullptr) return;
          const std::int64_t node = row.integer_or(kNode, 0);
          operations_.all.push_back(
              {call->start, call->end, call->global_tid, times.start, times.end, key(row),
               operations_.nodes.origin(process, node, call->start), node != 0});
        });
  }

  const report::ReportReader& reader_;
  events::ApiCalls calls_;
  std::size_t near_call_ = 0;
  LaunchedOperations operations_;
};

// Walks through points of threads in the order of time, and finds the ranges that are open.
class OpenRanges {
 public:
  explicit OpenRanges(const RangeTree& tree) : tree_(tree) {}

  // Writes the ranges that contain [start, end] to `result`, outermost first. The points must come
  // in the order of their threads and starts.
  void at(std::int64_t global_tid, std::int64_t start, std::int64_t end,
          std::vector<std::int32_t>& result) {
    for (; next_ < tree_.size(); ++next_) {
      const RangeTree::Range range = tree_.at(next_);
      if (std::tie(range.global_tid, range.start) > std::tie(global_tid, start)) break;
      open_.push_back({static_cast<std::int32_t>(next_), range.global_tid, range.end});
    }
    std::erase_if(open_, [&](const Range& range) {
      return range.global_tid != global_tid || range.end < start;
    });
    result.clear();
    for (const Range& range : open_)
      if (range.end >= end) result.push_back(range.index);
  }

 private:
  struct Range {
    std::int32_t index;
    std::int64_t global_tid;
    std::int64_t end;
  };
  const RangeTree& tree_;
  std::vector<Range> open_;
  std::size_t next_ = 0;
};

// The ranges that were open at each origin of a node.
class CaptureRanges {
 public:
  CaptureRanges(const RangeTree& tree, const GraphNodes& nodes) : tree_(tree) {
    const std::vector<NodeOrigin>& origins = nodes.all();
    std::vector<std::size_t> order(origins.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t origin) {
      return std::tie(origins[origin].global_tid, origins[origin].time);
    });
    first_.assign(origins.size(), {});
    OpenRanges open(tree);
    std::vector<std::int32_t> found;
    for (const std::size_t origin : order) {
      const NodeOrigin& at = origins[origin];
      open.at(at.global_tid, at.time, at.time, found);
      first_[origin] = {ranges_.size(), ranges_.size() + found.size()};
      ranges_.insert(ranges_.end(), found.begin(), found.end());
    }
  }

  // Returns the ranges of an origin, without the outermost ones that have the names of `around`.
  std::span<const std::int32_t> inside(std::int32_t origin, std::span<const std::int32_t> around) {
    if (origin == GraphNodes::kNone) return {};
    const auto [first, end] = first_[static_cast<std::size_t>(origin)];
    const std::span<const std::int32_t> ranges(ranges_.data() + first, end - first);
    return events::inside_of_launch(
        ranges, around, [&](std::int32_t a, std::int32_t b) { return is_same_name(a, b); });
  }

 private:
  bool is_same_name(std::int32_t a, std::int32_t b) { return a == b || stem_of(a) == stem_of(b); }

  // Returns a number that is equal for names that differ only in numbers.
  std::int32_t stem_of(std::int32_t range) {
    const std::int32_t name = tree_.at(range).name;
    const auto [known, is_new] = stem_of_name_.try_emplace(name);
    if (is_new)
      known->second = stems_
                          .try_emplace(insight::without_numbers(tree_.name_at(name)),
                                       static_cast<std::int32_t>(stems_.size()))
                          .first->second;
    return known->second;
  }

  const RangeTree& tree_;
  std::vector<std::int32_t> ranges_;                        // of all origins
  std::vector<std::pair<std::size_t, std::size_t>> first_;  // by origin: its part of ranges_
  std::unordered_map<std::int32_t, std::int32_t> stem_of_name_;
  std::unordered_map<std::string, std::int32_t> stems_;
};

// Sorts by thread and start of the call. Operations of one thread mostly are in order, so this
// first collects those of each thread.
void sort_by_call(std::vector<LaunchedOperation>& operations) {
  std::map<std::int64_t, std::vector<LaunchedOperation>> threads;
  std::vector<LaunchedOperation>* last = nullptr;
  for (const LaunchedOperation& each : operations) {
    if (last == nullptr || last->front().global_tid != each.global_tid)
      last = &threads[each.global_tid];
    last->push_back(each);
  }
  operations.clear();
  for (auto& [thread, of_thread] : threads) {
    if (!std::ranges::is_sorted(of_thread, {}, &LaunchedOperation::call_start))
      std::ranges::stable_sort(of_thread, {}, &LaunchedOperation::call_start);
    operations.insert(operations.end(), of_thread.begin(), of_thread.end());
    of_thread = {};
  }
}

}  // namespace

base::Result<LaunchedOperations> launched_kernels(const report::ReportReader& reader,
                                                  const events::KernelNames& names,
                                                  RangeOf range_of) {
  auto launches = Launches::read(reader, range_of);
  if (!launches) return tl::make_unexpected(launches.error());
  const base::Status read = launches->add_kernels(names);
  if (!read) return tl::make_unexpected(read.error());
  return launches->take();
}

base::Result<LaunchedOperations> launched_operations(const report::ReportReader& reader,
                                                     const events::KernelNames& names,
                                                     RangeOf range_of) {
  auto launches = Launches::read(reader, range_of);
  if (!launches) return tl::make_unexpected(launches.error());
  base::Status read = launches->add_kernels(names);
  if (read) read = launches->add_memory(events::kMemcpyTable);
  if (read) read = launches->add_memory(events::kMemsetTable);
  if (!read) return tl::make_unexpected(read.error());
  return launches->take();
}

void for_each_range_of_launches(
    const RangeTree& tree, LaunchedOperations& operations,
    const std::function<void(const LaunchedOperation&, RangeOfOperation)>& visit) {
  sort_by_call(operations.all);
  CaptureRanges captured(tree, operations.nodes);
  OpenRanges open(tree);
  std::vector<std::int32_t> around;
  for (const LaunchedOperation& operation : operations.all) {
    open.at(operation.global_tid, operation.call_start, operation.call_end, around);
    if (operation.in_graph && operations.range_of == RangeOf::kCapture) around.clear();
    for (const std::int32_t range : around) visit(operation, {range, false});
    const auto inside = captured.inside(operation.origin, around);
    for (const std::int32_t range : inside) visit(operation, {range, true});
    if (around.empty() && inside.empty()) visit(operation, {RangeTree::kNone, false});
  }
}

}  // namespace prof::stats
