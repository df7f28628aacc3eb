#include "exporters/arrow/launched_kernels.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::arrow {

namespace {

using ThreadTimes = std::map<std::int64_t, insight::Intervals>;

ThreadTimes times_by_thread(const std::vector<events::RangeTime>& ranges) {
  ThreadTimes times;
  for (const events::RangeTime& range : ranges)
    times[range.global_tid].push_back({range.start, range.end});
  for (auto& [thread, each] : times) each = insight::merged(std::move(each));
  return times;
}

bool is_inside(const ThreadTimes& times, const events::ApiCall& call) {
  const auto thread = times.find(call.global_tid);
  if (thread == times.end()) return false;
  const insight::Intervals& all = thread->second;
  const auto after = std::upper_bound(
      all.begin(), all.end(), call.start,
      [](std::int64_t time, const insight::Interval& each) { return time < each.start; });
  return after != all.begin() && call.start <= std::prev(after)->end;
}

}  // namespace

base::Result<std::string> launched_inside(const report::ReportReader& reader,
                                          const std::string& range) {
  const auto ranges = events::find_nvtx_ranges(reader, range);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const auto calls = events::ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  const base::Status created = report::execute(
      reader.database(),
      "CREATE TEMP TABLE prof_launches (process, correlation, PRIMARY KEY (process, correlation)) "
      "WITHOUT ROWID");
  auto insert = reader.prepare("INSERT OR IGNORE INTO temp.prof_launches VALUES (?, ?)");
  if (!created || !insert) return tl::make_unexpected(reader.last_error());
  const ThreadTimes times = times_by_thread(*ranges);
  for (const events::ApiCall& call : calls->all()) {
    if (!is_inside(times, call)) continue;
    insert->bind(1, events::process_of(call.global_tid)).bind(2, call.correlation);
    if (!insert->run()) return tl::make_unexpected(reader.last_error());
  }
  return std::string(
      "(globalPid >> 24, correlationId) IN (SELECT process, correlation FROM temp.prof_launches)");
}

}  // namespace prof::arrow
