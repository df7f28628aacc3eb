#include "exporters/viewer/timeline/derived/linked_rows.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/viewer/timeline/derived/captured_ranges.hpp"

namespace prof::timeline {

namespace {

// Projects the ranges of one lane. Calls must come in the order of time.
class LaneProjection {
 public:
  LaneProjection(const EventLanes& ranges, std::uint32_t lane)
      : ranges_(ranges), next_(ranges.begin(lane)), end_(ranges.end(lane)) {}

  void add(std::int64_t call_start, std::int64_t call_end, RowId stream, std::int64_t start,
           std::int64_t end, SectionsOfStreams& sections) {
    while (next_ < end_ && ranges_.end_of(next_) < call_end) {
      // The range ends within the call, so it does not contain the call. A later one may.
      if (ranges_.start(next_) > call_start) return;
      flush(sections);
      ++next_;
    }
    if (next_ == end_ || ranges_.start(next_) > call_start) return;
    for (Span& span : spans_)
      if (span.stream == stream) {
        span.start = std::min(span.start, start);
        span.end = std::max(span.end, end);
        return;
      }
    spans_.push_back({stream, start, end});
  }
  void flush(SectionsOfStreams& sections) {
    for (const Span& span : spans_)
      sections[span.stream].add({span.start, span.end, ranges_.name(next_), ranges_.id(next_), 0,
                                 ranges_.source(next_), 0});
    spans_.clear();
  }

 private:
  struct Span {
    RowId stream;
    std::int64_t start;
    std::int64_t end;
  };
  const EventLanes& ranges_;
  std::size_t next_;
  std::size_t end_;
  std::vector<Span> spans_;  // of the range `next_`
};

// A call and one piece of work, as indices.
struct Launch {
  std::uint32_t call;
  std::uint32_t work_row;
  std::uint32_t work;
};

// Returns the launches of each row of calls with ranges, in the order of the row. If only ranges of
// captures count, work of graphs is left out.
std::vector<std::vector<Launch>> launches_of(const LinkedEvents& linked) {
  std::vector<std::vector<Launch>> all(linked.calls.size());
  for (std::uint32_t row = 0; row < linked.work.size(); ++row) {
    const auto& callers = linked.work[row].callers;
    const bool without_graphs = linked.range_of == events::RangeOf::kCapture;
    for (std::uint32_t i = 0; i < callers.size(); ++i)
      if (callers[i].row != LinkedEvents::Work::kNone &&
          !linked.calls[callers[i].row].ranges.empty() &&
          !(without_graphs && linked.work[row].is_in_graph(i)))
        all[callers[i].row].push_back({callers[i].index, row, i});
  }
  for (auto& launches : all)
    std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) {
      return std::tie(a.call, a.work_row, a.work) < std::tie(b.call, b.work_row, b.work);
    });
  return all;
}

void project(const LinkedEvents& linked, const EventLanes& calls,
             const std::vector<Launch>& launches, const EventLanes& ranges,
             SectionsOfStreams& sections) {
  for (std::uint32_t lane = 0; lane < ranges.lanes(); ++lane) {
    auto launch = launches.begin();
    // The calls of each lane are in the order of time.
    for (std::uint32_t call_lane = 0; call_lane < calls.lanes(); ++call_lane) {
      LaneProjection projection(ranges, lane);
      for (; launch != launches.end() && launch->call < calls.end(call_lane); ++launch) {
        const LinkedEvents::Work& work = linked.work[launch->work_row];
        projection.add(calls.start(launch->call), calls.end_of(launch->call), work.stream,
                       work.events->start(launch->work), work.events->end_of(launch->work),
                       sections);
      }
      projection.flush(sections);
    }
  }
}

bool is_work(RowKind kind) {
  return kind == RowKind::kKernels || kind == RowKind::kCopies || kind == RowKind::kFills ||
         kind == RowKind::kGraphs;
}

}  // namespace

LinkedEvents linked_events(const RowTree& tree, std::uint32_t report) {
  LinkedEvents result;
  for (RowId id = 1; id < tree.size(); ++id) {
    const RowTree::Node& node = tree.at(id);
    if (node.row.report != report || !node.data.events) continue;
    if (is_work(node.row.kind))
      result.work.push_back({.row = id,
                             .stream = node.row.parent,
                             .events = node.data.events,
                             .callers = {},
                             .ids = node.data.ids,
                             .tables = node.row.tables,
                             .origins = {}});
    if (node.row.kind != RowKind::kCudaApi) continue;
    result.calls.push_back({id, node.data.events, {}, node.row.thread.value_or(0)});
    for (const RowId sibling : tree.at(node.row.parent).children) {
      const RowTree::Node& other = tree.at(sibling);
      const bool is_nvtx = !other.row.tables.empty() && other.row.tables[0] == events::kNvtxTable;
      if (!is_nvtx || !other.data.events) continue;
      result.calls.back().ranges.push_back(other.data.events);
      result.range_ids = other.data.ids;
    }
  }
  return result;
}

void set_callers(LinkedEvents& linked, const Links& links) {
  std::unordered_map<RowId, std::uint32_t> calls;
  std::unordered_map<RowId, LinkedEvents::Work*> work;
  for (std::uint32_t i = 0; i < linked.calls.size(); ++i) calls[linked.calls[i].row] = i;
  for (LinkedEvents::Work& each : linked.work) {
    const LinkedEvents::Work::Caller none{LinkedEvents::Work::kNone, 0};
    each.callers.assign(each.events->size(), none);
    work[each.row] = &each;
  }
  links.for_each_pair([&](std::int64_t, const Links::EventRef& call, const Links::EventRef& done) {
    const auto row = work.find(done.row);
    if (row != work.end())
      row->second->callers[done.index] = {calls.at(call.row),
                                          static_cast<std::uint32_t>(call.index)};
  });
}

std::vector<DerivedRow> projected_ranges(const LinkedEvents& linked, const Names& names) {
  SectionsOfStreams sections;
  const std::vector<std::vector<Launch>> launches = launches_of(linked);
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (const auto& ranges : linked.calls[i].ranges)
      project(linked, *linked.calls[i].events, launches[i], *ranges, sections);
  auto ids = linked.range_ids;
  if (ids != nullptr && !linked.nodes.all().empty()) {
    auto with_copies = std::make_shared<std::vector<IdMap>>(*ids);
    project_captures(linked, names, sections, *with_copies);
    ids = std::move(with_copies);
  }
  std::vector<DerivedRow> rows;
  for (auto& [stream, section] : sections) {
    DerivedRow row;
    row.events = section.size();
    row.table = events::kNvtxTable;
    Sections all;
    all[static_cast<std::size_t>(Layout::kNested)] = std::move(section);
    row.data.events = std::make_shared<const EventLanes>(EventLanes::lay_out(std::move(all)));
    row.data.ids = ids;
    row.place = [stream = stream](RowTree& tree) {
      return tree.row_below(stream, RowKind::kNvtxGpu, RowStyle::kEvents, "");
    };
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

// Returns the curve of one stream: +1 when a launching call starts, -1 when its first work starts.
std::shared_ptr<const CounterLanes> queue_length(const LinkedEvents& linked, RowId stream) {
  struct Started {
    LinkedEvents::Work::Caller caller;
    std::int64_t start;
    bool is_same_call(const Started& other) const {
      return caller.row == other.caller.row && caller.index == other.caller.index;
    }
  };
  std::vector<Started> all;
  for (const LinkedEvents::Work& work : linked.work) {
    if (work.stream != stream) continue;
    for (std::size_t i = 0; i < work.callers.size(); ++i)
      if (work.callers[i].row != LinkedEvents::Work::kNone)
        all.push_back({work.callers[i], work.events->start(i)});
  }
  std::sort(all.begin(), all.end(), [](const Started& a, const Started& b) {
    return std::tie(a.caller.row, a.caller.index, a.start) <
           std::tie(b.caller.row, b.caller.index, b.start);
  });
  std::vector<Sample> steps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].is_same_call(all[i - 1])) continue;
    const std::int64_t called = linked.calls[all[i].caller.row].events->start(all[i].caller.index);
    steps.push_back({called, 1});
    steps.push_back({std::max(all[i].start, called), -1});
  }
  // A call comes before the start of its work, even if the times are equal.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Sample& a, const Sample& b) { return a.time < b.time; });
  double length = 0;
  for (Sample& step : steps) step.value = length += step.value;
  std::vector<std::vector<Sample>> series;
  series.push_back(std::move(steps));
  return std::make_shared<const CounterLanes>(std::move(series));
}

}  // namespace

std::vector<DerivedRow> queue_lengths(const std::shared_ptr<const LinkedEvents>& linked) {
  std::unordered_map<RowId, std::uint64_t> launches;
  for (const LinkedEvents::Work& work : linked->work)
    for (const auto& caller : work.callers)
      if (caller.row != LinkedEvents::Work::kNone) ++launches[work.stream];
  std::vector<DerivedRow> rows;
  for (const auto& [stream, count] : launches) {
    DerivedRow row;
    row.events = count;
    row.series = {"launches"};
    row.data.later = std::make_shared<LaterCounter>(
        [linked, stream = stream] { return queue_length(*linked, stream); });
    row.place = [stream = stream](RowTree& tree) {
      return tree.row_below(stream, RowKind::kQueue, RowStyle::kCounter, "");
    };
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace prof::timeline
