#include "exporters/analysis/events/api_calls.hpp"

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/grouped_events.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

namespace {

bool before(const ApiCall& call, std::int64_t process, std::int64_t correlation) {
  return process_of(call.global_tid) != process ? process_of(call.global_tid) < process
                                                : call.correlation < correlation;
}

bool in_order(const ApiCall& a, const ApiCall& b) {
  return before(a, process_of(b.global_tid), b.correlation);
}

}  // namespace

base::Result<ApiCalls> ApiCalls::read(const report::ReportReader& reader) {
  ApiCalls result;
  if (!reader.has_table(kApiTable)) return result;
  const base::Status read =
      for_each_event(reader, {kApiTable, {"globalTid", "correlationId", "nameId"}, api_calls()},
                     [&](const Times& times, const report::Row& row) {
                       if (row.is_null(1)) return;
                       result.calls_.push_back({times.start, times.end, row.integer(0),
                                                row.integer(1), row.integer_or(2, Strings::kNone)});
                     });
  if (!read) return tl::make_unexpected(read.error());
  // Rows are written in the order of time, and ids grow with time, so they are usually sorted.
  if (!std::is_sorted(result.calls_.begin(), result.calls_.end(), in_order))
    std::stable_sort(result.calls_.begin(), result.calls_.end(), in_order);
  return result;
}

const ApiCall* ApiCalls::launching(std::int64_t global_pid, std::int64_t correlation,
                                   std::size_t& near) const {
  const std::int64_t process = process_of(global_pid);
  near = partition_index_near(near, 0, calls_.size(), [&](std::size_t call) {
    return before(calls_[call], process, correlation);
  });
  if (near == calls_.size()) return nullptr;
  const ApiCall& found = calls_[near];
  return process_of(found.global_tid) == process && found.correlation == correlation ? &found
                                                                                     : nullptr;
}

void remark_on_backtrace_rows(const report::ReportReader& reader) {
  if (!reader.has_table("CUDA_CALLCHAINS")) return;
  const base::Status read = for_each_row(
      reader, fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", kApiTable, to_sql(backtrace_rows())),
      [&](const report::Statement&) {
        reader.remark(
            "calls with a call chain are in this report twice (event class 67). prof counts each "
            "call once, nsys twice.");
      });
  if (!read) reader.note(read.error());
}

std::string_view without_version(std::string_view name) {
  constexpr std::size_t kLength =
      6;  // the length of "_v3020"; nsys removes only this length, it keeps "_v2" and "_v12000"
  const bool has_version =
      name.size() >= kLength && name.substr(name.size() - kLength).starts_with("_v");
  return has_version ? name.substr(0, name.size() - kLength) : name;
}

}  // namespace prof::events
