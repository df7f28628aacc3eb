// vulkan_api_trace: every call of Vulkan, its labels, and moments of the trace.
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/calling_threads.hpp"
#include "exporters/analysis/stats/vulkan/vulkan_statistics.hpp"

namespace prof::stats {

using tables::Cell;
using tables::CellKind;

namespace {

Cell cell_of(const report::Row& row, int column) {
  return row.is_null(column) ? Cell{} : Cell{row.integer(column)};
}

}  // namespace

base::Result<tables::Table> vulkan_api_trace(const report::ReportReader& reader, const Arguments&) {
  events::Strings strings(reader);
  const auto threads = CallingThreads::read(reader, strings);
  if (!threads) return tl::make_unexpected(threads.error());
  tables::Table table{{{"Start (ns)", CellKind::kInteger},
                       {"Duration (ns)", CellKind::kInteger},
                       {"Name", CellKind::kText},
                       {"Event Class", CellKind::kInteger},
                       {"Context", CellKind::kInteger},
                       {"CorrID", CellKind::kInteger},
                       {"Pid", CellKind::kInteger},
                       {"Tid", CellKind::kInteger},
                       {"T-Pri", CellKind::kInteger},
                       {"Thread Name", CellKind::kText}},
                      {}};
  tables::SharedTexts shared;
  const base::Status read = events::for_each_event(
      reader,
      {events::kVulkanTable,
       {"nameId", "eventClass", "contextId", "correlationId", "globalTid"},
       {}},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t global_tid = row.integer_or(4, 0);
        const CallingThreads::Thread& thread = threads->of(global_tid);
        table.rows.push_back({times.start, times.duration(),
                              shared(strings.text(row.integer_or(0, events::Strings::kNone))),
                              row.integer(1), cell_of(row, 2), cell_of(row, 3),
                              events::pid_of(global_tid), events::tid_of(global_tid),
                              thread.priority, thread.name});
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
