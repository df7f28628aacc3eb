#include "exporters/stats/events/report_views.hpp"

#include <fmt/format.h>

#include "exporters/stats/events/event_tables.hpp"
#include "exporters/stats/events/memory_operations.hpp"
#include "exporters/stats/events/nvtx_ranges.hpp"

namespace prof::stats {

namespace {

// What reports read and exports have not always had.
struct LaterColumn {
  const char* table;
  const char* name;
};
constexpr LaterColumn kLaterColumns[] = {
    {kKernelTable, "greenContextId"},  // since 2023.4
    {kKernelTable, "mangledName"},     // since 2022.2
    {kMemcpyTable, "greenContextId"},  // since 2023.4
    {kMemcpyTable, "virtualAddress"},  // since 2022.2
    {kMemsetTable, "greenContextId"},  // since 2025.3
    {kNvtxTable, "endGlobalTid"},      // since 2022.2 at the latest
};

std::string later_columns(const report::ReportReader& reader, const std::string& table) {
  std::string result;
  for (const LaterColumn& column : kLaterColumns)
    if (table == column.table && !reader.has_column(table, column.name))
      result += fmt::format(", NULL AS {}", column.name);
  return result;
}

// Names of their own for times, and processes only by way of the descriptors.
std::string file_condition(const EventFilter& filter) {
  std::string result = fmt::format("startedAt <= {} AND endedAt >= {}", filter.end, filter.start);
  if (filter.process)
    result +=
        fmt::format(" AND fileAccessId IN (SELECT fileAccessId FROM main.{} WHERE processId = {})",
                    kFileTable, *filter.process & 0xffffff);
  return result;
}

// Which rows are left.
std::string condition(const EventFilter& filter, const report::ReportReader& reader,
                      const std::string& table) {
  if (table == kFileEventTable) return file_condition(filter);
  const char* end = reader.has_column(table, "end") ? "COALESCE(\"end\", start)" : "start";
  std::string result = fmt::format("start <= {} AND {} >= {}", filter.end, end, filter.start);
  for (const char* id : {"globalTid", "globalPid"})
    if (filter.process && reader.has_column(table, id))
      result += fmt::format(" AND {} >> 24 = {}", id, *filter.process);
  // Other rows there name domains, categories and threads; those are needed anyway.
  return table == kNvtxTable ? "eventType NOT IN (34, 59, 60) OR " + result : result;
}

}  // namespace

base::Status make_views(const report::ReportReader& reader, const EventFilter& filter) {
  const bool all = filter == EventFilter{};
  std::string drop;
  for (const std::string& table : reader.tables())
    drop += fmt::format("DROP VIEW IF EXISTS temp.{};", report::quoted(table));
  base::Status done = report::execute(reader.database(), drop);
  if (!done) return done;
  std::string create;
  for (const std::string& table : reader.tables()) {
    const std::string columns = later_columns(reader, table);
    const bool filtered = !all && (table == kFileEventTable ? reader.has_column(table, "startedAt")
                                                            : reader.has_column(table, "start"));
    if (columns.empty() && !filtered) continue;
    create += fmt::format(
        "CREATE TEMP VIEW {0} AS SELECT rowid AS rowid, *{1} FROM main.{0} WHERE {2};",
        report::quoted(table), columns, filtered ? condition(filter, reader, table) : "1");
  }
  return report::execute(reader.database(), create);
}

}  // namespace prof::stats
