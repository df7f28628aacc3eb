#include "exporters/analysis/events/report_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// A column that statistics read, but older exports lack.
struct NewerColumn {
  const char* table;
  const char* name;
};
constexpr NewerColumn kNewerColumns[] = {
    {kKernelTable, "greenContextId"},        // since 2023.4
    {kKernelTable, "mangledName"},           // since 2022.2
    {kKernelTable, "sharedMemoryExecuted"},  // since 2021 or earlier
    {kMemcpyTable, "greenContextId"},        // since 2023.4
    {kMemcpyTable, "virtualAddress"},        // since 2022.2
    {kMemsetTable, "greenContextId"},        // since 2025.3
    {kNvtxTable, "endGlobalTid"},            // since 2022.2 or earlier
};

// The NVTX event types that have times: marks, push/pop ranges and start/end ranges.
constexpr std::int64_t kTimedTypes[] = {34, 59, 60};

std::string missing_columns(const report::ReportReader& reader, const std::string& table) {
  std::string result;
  for (const NewerColumn& column : kNewerColumns)
    if (table == column.table && !reader.has_column(table, column.name))
      result += fmt::format(", NULL AS {}", column.name);
  return result;
}

// Returns the condition for file events: their time columns have other names, and their process is
// in another table.
std::string file_condition(const EventFilter& filter) {
  std::string result = fmt::format("startedAt <= {} AND endedAt >= {}", filter.end, filter.start);
  if (filter.processes) {
    std::vector<std::int64_t> pids;
    for (const std::int64_t process : *filter.processes) pids.push_back(process & 0xffffff);
    result += fmt::format(
        " AND fileAccessId IN (SELECT fileAccessId FROM main.{} WHERE processId IN ({}))",
        kFileTable, fmt::join(pids, ","));
  }
  if (!filter.threads) return result;
  std::vector<std::int64_t> tids;
  for (const std::int64_t thread : *filter.threads) tids.push_back(tid_of(thread));
  return result + fmt::format(" AND threadId IN ({})", fmt::join(tids, ","));
}

// Returns the condition for GPU work, which belongs to the thread that launched it.
std::string launched_by(const std::string& threads, const report::ReportReader& reader) {
  if (!reader.has_table(kApiTable)) return " AND 0";
  return fmt::format(
      " AND (globalPid >> 24, correlationId) IN (SELECT globalTid >> 24, correlationId FROM "
      "main.{} WHERE globalTid IN ({}))",
      kApiTable, threads);
}

std::string thread_condition(const EventFilter& filter, const report::ReportReader& reader,
                             const std::string& table) {
  std::string result;
  const bool has_thread = reader.has_column(table, "globalTid");
  const bool has_process = reader.has_column(table, "globalPid");
  if (filter.processes && (has_thread || has_process))
    result += fmt::format(" AND {} >> 24 IN ({})", has_thread ? "globalTid" : "globalPid",
                          fmt::join(*filter.processes, ","));
  if (!filter.threads) return result;
  const std::string threads = fmt::format("{}", fmt::join(*filter.threads, ","));
  if (has_thread) return result + fmt::format(" AND globalTid IN ({})", threads);
  if (has_process && reader.has_column(table, "correlationId"))
    result += launched_by(threads, reader);
  return result;
}

// Returns the condition for sums of calls. Sums have no times, so a window of time selects none of
// them.
std::string sum_condition(const EventFilter& filter, const report::ReportReader& reader) {
  const EventFilter all;
  const bool of_all_times = filter.start == all.start && filter.end == all.end;
  return (of_all_times ? "1" : "0") + thread_condition(filter, reader, kShortCallTable);
}

// True if the table has sampled counters. A counter belongs to a device, so to all processes and
// threads.
bool is_counter_table(std::string_view table) {
  return table == kGpuMetricTable || table == kGenericEventTable;
}

// True if the filter applies to the table.
bool is_filtered(const report::ReportReader& reader, const std::string& table) {
  if (table == kShortCallTable || is_counter_table(table)) return true;
  return reader.has_column(table, table == kFileEventTable ? "startedAt" : "start");
}

// Returns the condition for the rows that the filter selects.
std::string condition(const EventFilter& filter, const report::ReportReader& reader,
                      const std::string& table) {
  if (table == kFileEventTable) return file_condition(filter);
  if (table == kShortCallTable) return sum_condition(filter, reader);
  if (is_counter_table(table))
    return fmt::format("timestamp <= {} AND timestamp >= {}", filter.end, filter.start);
  const char* end = reader.has_column(table, "end") ? "COALESCE(\"end\", start)" : "start";
  std::string result = fmt::format("start <= {} AND {} >= {}", filter.end, end, filter.start);
  result += thread_condition(filter, reader, table);
  // Rows of other NVTX event types name domains, categories and threads, and are always needed.
  if (table != kNvtxTable) return result;
  return fmt::format("eventType NOT IN ({}) OR {}", fmt::join(kTimedTypes, ","), result);
}

// Returns the window of a table, or nothing if the filter selects more than a window of time.
std::optional<report::RowWindow> window_of(const EventFilter& filter,
                                           const report::ReportReader& reader,
                                           const std::string& table) {
  if (filter.processes || filter.threads || table == kShortCallTable || table == kFileEventTable)
    return std::nullopt;
  if (is_counter_table(table))
    return report::RowWindow{"timestamp", "timestamp", filter.start, filter.end};
  const char* end = reader.has_column(table, "end") ? "end" : "start";
  report::RowWindow window{"start", end, filter.start, filter.end};
  if (table == kNvtxTable)
    window.always = {"eventType", {std::begin(kTimedTypes), std::end(kTimedTypes)}, false};
  return window;
}

// Returns SQL that drops the views of an earlier filter. It is empty for a report that was just
// opened.
base::Result<std::string> drop_views(const report::ReportReader& reader) {
  auto query = reader.prepare("SELECT name FROM temp.sqlite_master WHERE type = 'view'");
  if (!query) return tl::make_unexpected(query.error());
  std::string result;
  auto row = query->step();
  for (; row && *row; row = query->step())
    result += fmt::format("DROP VIEW temp.{};", report::quoted(query->text(0)));
  if (!row) return tl::make_unexpected(row.error());
  return result;
}

}  // namespace

base::Status make_views(const report::ReportReader& reader, const EventFilter& filter,
                        const ExportSelection& selection) {
  const bool all = filter == EventFilter{};
  const auto drop = drop_views(reader);
  if (!drop || !report::execute(reader.database(), *drop))
    return tl::make_unexpected(reader.last_error());
  std::string create;
  report::ReportReader::Windows windows;
  for (const std::string& table : reader.tables()) {
    const std::string columns = missing_columns(reader, table);
    const bool filtered = !all && is_filtered(reader, table);
    const bool whole = is_whole(reader, table, selection);
    if (columns.empty() && !filtered && whole) continue;
    if (const auto window = window_of(filter, reader, table); window && columns.empty() && whole)
      windows.emplace(table, *window);
    create += fmt::format(
        "CREATE TEMP VIEW {0} AS SELECT rowid AS rowid, {1}{2} FROM main.{0} WHERE ({3}) AND {4};",
        report::quoted(table), whole ? "*" : selected_columns(reader, table, selection), columns,
        filtered ? condition(filter, reader, table) : "1",
        whole ? "1" : selected_rows(reader, table, selection));
  }
  if (!report::execute(reader.database(), create)) return tl::make_unexpected(reader.last_error());
  reader.keep_windows(std::move(windows));
  EventFilter kept = filter;
  kept.start = std::max(kept.start, -kMaxTime);
  kept.end = std::min(kept.end, kMaxTime);
  reader.keep_filter(std::move(kept));
  return {};
}

}  // namespace prof::events
