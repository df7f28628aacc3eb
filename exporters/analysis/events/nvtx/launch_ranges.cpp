#include "exporters/analysis/events/nvtx/launch_ranges.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::events {

base::Result<LaunchRanges> LaunchRanges::read(const report::ReportReader& reader) {
  LaunchRanges result(reader);
  auto calls = ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  result.calls_ = std::move(*calls);
  const auto ranges = result.read_ranges(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  result.match_calls(*ranges);
  return result;
}

// Reads the push/pop ranges, sorted by thread and start. Outer ranges come before inner ones.
base::Result<std::vector<LaunchRanges::Range>> LaunchRanges::read_ranges(
    const report::ReportReader& reader) {
  std::vector<Range> ranges;
  if (!reader.has_table(kNvtxTable)) return ranges;
  const base::Status read = for_each_range(reader, texts_, [&](const NvtxRange& range) {
    if (range.type == kPushPopRange)
      ranges.push_back({range.global_tid, range.start, range.end, range.name});
  });
  if (!read) return tl::make_unexpected(read.error());
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.global_tid, a.start, b.end) < std::tie(b.global_tid, b.start, a.end);
  });
  return ranges;
}

// Walks through the calls and ranges of each thread in the order of time, with a list of the ranges
// that have begun and not ended.
void LaunchRanges::match_calls(const std::vector<Range>& ranges) {
  const std::vector<ApiCall>& calls = calls_.all();
  around_.assign(calls.size(), kNone);
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(calls[a].global_tid, calls[a].start) <
           std::tie(calls[b].global_tid, calls[b].start);
  });
  std::vector<const Range*> open;
  auto next = ranges.begin();
  for (const std::size_t i : order) {
    const ApiCall& call = calls[i];
    for (; next != ranges.end() &&
           std::tie(next->global_tid, next->start) <= std::tie(call.global_tid, call.start);
         ++next)
      open.push_back(&*next);
    while (!open.empty() &&
           (open.back()->global_tid != call.global_tid || open.back()->end < call.start))
      open.pop_back();
    // Ranges of different domains may overlap without being nested.
    const auto innermost = std::find_if(open.rbegin(), open.rend(), [&](const Range* range) {
      return range->global_tid == call.global_tid && range->end >= call.end;
    });
    if (innermost != open.rend()) around_[i] = (*innermost)->text;
  }
}

std::int32_t LaunchRanges::around(std::int64_t global_pid, std::int64_t correlation) const {
  const ApiCall* call = calls_.launching(global_pid, correlation);
  return call == nullptr ? kNone : around_[static_cast<std::size_t>(call - calls_.all().data())];
}

}  // namespace prof::events
