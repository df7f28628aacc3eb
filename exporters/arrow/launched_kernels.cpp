#include "exporters/arrow/launched_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
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

bool is_inside(const ThreadTimes& times, std::int64_t global_tid, std::int64_t time) {
  const auto thread = times.find(global_tid);
  if (thread == times.end()) return false;
  const insight::Intervals& all = thread->second;
  const auto after = std::upper_bound(
      all.begin(), all.end(), time,
      [](std::int64_t at, const insight::Interval& each) { return at < each.start; });
  return after != all.begin() && time <= std::prev(after)->end;
}

base::Status add_launches(const report::ReportReader& reader, const ThreadTimes& times,
                          const events::ApiCalls& calls) {
  const base::Status created = report::execute(
      reader.database(),
      "CREATE TEMP TABLE prof_launches (process, correlation, PRIMARY KEY (process, correlation)) "
      "WITHOUT ROWID");
  auto insert = reader.prepare("INSERT OR IGNORE INTO temp.prof_launches VALUES (?, ?)");
  if (!created || !insert) return tl::make_unexpected(reader.last_error());
  for (const events::ApiCall& call : calls.all()) {
    if (!is_inside(times, call.global_tid, call.start)) continue;
    insert->bind(1, events::process_of(call.global_tid)).bind(2, call.correlation);
    if (!insert->run()) return tl::make_unexpected(reader.last_error());
  }
  return {};
}

// Adds the nodes of launched graphs whose capture is known, and whether it was inside of a range.
base::Status add_captures(const report::ReportReader& reader, const ThreadTimes& times,
                          const events::ApiCalls& calls, const events::GraphNodes& nodes) {
  const base::Status created =
      report::execute(reader.database(),
                      "CREATE TEMP TABLE prof_captures (process, correlation, node, is_inside, "
                      "PRIMARY KEY (process, correlation, node)) WITHOUT ROWID");
  auto insert = reader.prepare("INSERT OR IGNORE INTO temp.prof_captures VALUES (?, ?, ?, ?)");
  if (!created || !insert) return tl::make_unexpected(reader.last_error());
  base::Status added;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT globalPid, correlationId, graphNodeId FROM {} "
                  "WHERE graphNodeId IS NOT NULL",
                  events::kKernelTable),
      [&](const report::Statement& row) {
        const events::ApiCall* call = calls.launching(row.integer(0), row.integer(1));
        if (call == nullptr) return;
        const std::int32_t origin = nodes.origin(row.integer(0), row.integer(2), call->start);
        if (origin == events::GraphNodes::kNone) return;
        const events::NodeOrigin& capture = nodes.at(origin);
        insert->bind(1, events::process_of(row.integer(0)))
            .bind(2, row.integer(1))
            .bind(3, row.integer(2))
            .bind(4, std::int64_t{is_inside(times, capture.global_tid, capture.time) ? 1 : 0});
        if (!insert->run()) added = tl::make_unexpected(reader.last_error());
      });
  return read ? added : read;
}

}  // namespace

base::Result<std::string> launched_inside(const report::ReportReader& reader,
                                          const std::string& range, events::RangeOf range_of) {
  const auto ranges = events::find_nvtx_ranges(reader, range);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const auto calls = events::ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  const ThreadTimes times = times_by_thread(*ranges);
  if (const base::Status added = add_launches(reader, times, *calls); !added)
    return tl::make_unexpected(added.error());
  const std::string launched =
      "(globalPid >> 24, correlationId) IN (SELECT process, correlation FROM temp.prof_launches)";
  if (range_of == events::RangeOf::kLaunch ||
      !reader.has_column(events::kKernelTable, "graphNodeId"))
    return launched;
  const auto nodes = events::GraphNodes::read(reader);
  if (!nodes) return tl::make_unexpected(nodes.error());
  if (const base::Status added = add_captures(reader, times, *calls, *nodes); !added)
    return tl::make_unexpected(added.error());
  const std::string captured =
      "ifnull((SELECT is_inside FROM temp.prof_captures WHERE process = globalPid >> 24 AND "
      "correlation = correlationId AND node = graphNodeId), 0)";
  return range_of == events::RangeOf::kBoth
             ? fmt::format("({} OR {})", launched, captured)
             : fmt::format("iif(graphNodeId IS NULL, {}, {})", launched, captured);
}

}  // namespace prof::arrow
