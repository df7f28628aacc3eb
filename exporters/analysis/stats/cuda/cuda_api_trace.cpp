// cuda_api_trace: every CUDA API call in the order of time.
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/calling_threads.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> cuda_api_trace(const report::ReportReader& reader, const Arguments&) {
  events::Strings strings(reader);
  const auto threads = CallingThreads::read(reader, strings);
  if (!threads) return tl::make_unexpected(threads.error());
  tables::Table table{{{"Start (ns)", CellKind::kInteger},
                       {"Duration (ns)", CellKind::kInteger},
                       {"Name", CellKind::kText},
                       {"Result", CellKind::kInteger},
                       {"CorrID", CellKind::kInteger},
                       {"Pid", CellKind::kInteger},
                       {"Tid", CellKind::kInteger},
                       {"T-Pri", CellKind::kInteger},
                       {"Thread Name", CellKind::kText}},
                      {}};
  tables::SharedTexts shared;
  const base::Status read = events::for_each_event(
      reader,
      {events::kApiTable,
       {"nameId", "returnValue", "correlationId", "globalTid"},
       events::api_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t global_tid = row.integer(3);
        const CallingThreads::Thread& thread = threads->of(global_tid);
        const std::string& name = strings.text(row.integer_or(0, events::Strings::kNone));
        table.rows.push_back({times.start, times.duration(), shared(events::without_version(name)),
                              row.integer(1), row.integer(2), events::pid_of(global_tid),
                              events::tid_of(global_tid), thread.priority, thread.name});
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
