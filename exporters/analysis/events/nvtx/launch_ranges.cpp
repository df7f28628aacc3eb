#include "exporters/analysis/events/nvtx/launch_ranges.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::events {

base::Result<LaunchRanges> LaunchRanges::read(const report::ReportReader& reader,
                                              RangeOf range_of) {
  LaunchRanges result(reader, range_of);
  auto calls = ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  result.calls_ = std::move(*calls);
  if (range_of != RangeOf::kLaunch) {
    auto nodes = GraphNodes::read(reader);
    if (!nodes) return tl::make_unexpected(nodes.error());
    result.nodes_ = std::move(*nodes);
  }
  const auto ranges = result.read_ranges(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  std::vector<Point> points;
  for (const ApiCall& call : result.calls_.all())
    points.push_back({call.global_tid, call.start, call.end});
  result.of_call_ = around(*ranges, points);
  points.clear();
  for (const NodeOrigin& origin : result.nodes_.all())
    points.push_back({origin.global_tid, origin.time, origin.time});
  result.of_origin_ = around(*ranges, points);
  return result;
}

// Reads the push/pop ranges, sorted by thread and start. Outer ranges come before inner ones.
base::Result<std::vector<LaunchRanges::Range>> LaunchRanges::read_ranges(
    const report::ReportReader& reader) {
  std::vector<Range> ranges;
  const auto add = [&](const NvtxRange& range) {
    if (range.type == kPushPopRange)
      ranges.push_back({range.global_tid, range.start, range.end, range.name});
  };
  base::Status read;
  if (reader.has_table(kNvtxTable)) read = for_each_range(reader, texts_, add);
  if (read && range_of_ != RangeOf::kLaunch) read = for_each_graph_range(reader, texts_, add);
  if (!read) return tl::make_unexpected(read.error());
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.global_tid, a.start, b.end) < std::tie(b.global_tid, b.start, a.end);
  });
  return ranges;
}

// Walks through the points and ranges of each thread in the order of time, with a list of the
// ranges that have begun and not ended. Returns the text of the innermost range around each point.
std::vector<std::int32_t> LaunchRanges::around(const std::vector<Range>& ranges,
                                               const std::vector<Point>& points) {
  std::vector<std::int32_t> texts(points.size(), kNone);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(points[a].global_tid, points[a].start) <
           std::tie(points[b].global_tid, points[b].start);
  });
  std::vector<const Range*> open;
  auto next = ranges.begin();
  for (const std::size_t i : order) {
    const Point& point = points[i];
    for (; next != ranges.end() &&
           std::tie(next->global_tid, next->start) <= std::tie(point.global_tid, point.start);
         ++next)
      open.push_back(&*next);
    while (!open.empty() &&
           (open.back()->global_tid != point.global_tid || open.back()->end < point.start))
      open.pop_back();
    // Ranges of different domains may overlap without being nested.
    const auto innermost = std::find_if(open.rbegin(), open.rend(), [&](const Range* range) {
      return range->global_tid == point.global_tid && range->end >= point.end;
    });
    if (innermost != open.rend()) texts[i] = (*innermost)->text;
  }
  return texts;
}

std::int32_t LaunchRanges::of(std::int64_t global_pid, std::int64_t correlation,
                              std::int64_t graph_node) const {
  const ApiCall* call = calls_.launching(global_pid, correlation);
  if (call == nullptr) return kNone;
  const std::int32_t origin = nodes_.origin(global_pid, graph_node, call->start);
  const std::int32_t captured =
      origin == GraphNodes::kNone ? kNone : of_origin_[static_cast<std::size_t>(origin)];
  if (captured != kNone || (graph_node != 0 && range_of_ == RangeOf::kCapture)) return captured;
  return of_call_[static_cast<std::size_t>(call - calls_.all().data())];
}

}  // namespace prof::events
