#include "exporters/analysis/operators/library_calls.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "common/report/table_query.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::operators {

namespace {

// Adds a call, unless it is inside of the last one. Calls come by thread and start.
void add_outermost(std::vector<LibraryCall>& calls, const LibraryCall& call) {
  if (calls.empty() || calls.back().global_tid != call.global_tid || calls.back().end <= call.start)
    calls.push_back(call);
}

const LibraryCall* call_around(const std::vector<LibraryCall>& calls, std::int64_t global_tid,
                               std::int64_t time) {
  const auto next = std::ranges::upper_bound(
      calls, std::pair(global_tid, time), {},
      [](const LibraryCall& call) { return std::pair(call.global_tid, call.start); });
  if (next == calls.begin()) return nullptr;
  const LibraryCall& last = *std::prev(next);
  return last.global_tid == global_tid && last.end >= time ? &last : nullptr;
}

}  // namespace

base::Result<LibraryCalls> LibraryCalls::read(const report::ReportReader& reader) {
  std::vector<LibraryCall> all;
  for (const char* table :
       {"CUBLAS_EVENTS", "CUDNN_EVENTS", "CUSOLVER_EVENTS", "CUSPARSE_EVENTS", "NCCL_EVENTS"}) {
    if (!reader.has_table(table)) continue;
    const base::Status read = events::for_each_event(
        reader, {table, {"globalTid", "nameId", report::column_or(reader, table, "productId")}},
        [&](const events::Times& times, const report::Row& row) {
          all.push_back(
              {row.integer(0), times.start, times.end, row.integer(1), row.integer_or(2, 0)});
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  std::ranges::stable_sort(all, [](const LibraryCall& a, const LibraryCall& b) {
    return std::tie(a.global_tid, a.start, b.end) < std::tie(b.global_tid, b.start, a.end);
  });
  LibraryCalls result;
  for (const LibraryCall& call : all) {
    add_outermost(result.outermost_, call);
    if (call.product != 0) add_outermost(result.products_, call);
  }
  return result;
}

const LibraryCall* LibraryCalls::around(std::int64_t global_tid, std::int64_t time) const {
  const LibraryCall* product = call_around(products_, global_tid, time);
  return product != nullptr ? product : call_around(outermost_, global_tid, time);
}

}  // namespace prof::operators
