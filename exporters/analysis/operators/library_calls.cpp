#include "exporters/analysis/operators/library_calls.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/rows.hpp"

namespace prof::operators {

base::Result<LibraryCalls> LibraryCalls::read(const report::ReportReader& reader) {
  std::vector<Call> all;
  for (const char* table :
       {"CUBLAS_EVENTS", "CUDNN_EVENTS", "CUSOLVER_EVENTS", "CUSPARSE_EVENTS", "NCCL_EVENTS"}) {
    if (!reader.has_table(table)) continue;
    const base::Status read = events::for_each_event(
        reader, {table, {"globalTid", "nameId"}},
        [&](const events::Times& times, const report::Row& row) {
          all.push_back({row.integer(0), times.start, times.end, row.integer(1)});
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  std::ranges::stable_sort(all, [](const Call& a, const Call& b) {
    return std::tie(a.global_tid, a.start, b.end) < std::tie(b.global_tid, b.start, a.end);
  });
  LibraryCalls result;
  for (const Call& call : all)
    if (result.calls_.empty() || result.calls_.back().global_tid != call.global_tid ||
        result.calls_.back().end < call.start)
      result.calls_.push_back(call);
  return result;
}

std::int64_t LibraryCalls::around(std::int64_t global_tid, std::int64_t time) const {
  const auto next = std::ranges::upper_bound(
      calls_, std::pair(global_tid, time), {},
      [](const Call& call) { return std::pair(call.global_tid, call.start); });
  if (next == calls_.begin()) return kNone;
  const Call& last = *std::prev(next);
  return last.global_tid == global_tid && last.end >= time ? last.name : kNone;
}

}  // namespace prof::operators
