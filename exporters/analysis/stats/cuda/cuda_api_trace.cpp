// cuda_api_trace: every CUDA API call in the order of time.
#include <algorithm>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct Thread {
  tables::Cell priority = {};
  tables::Cell name = {};
};

using Threads = std::unordered_map<std::int64_t, Thread>;  // by globalTid

base::Result<Threads> read_threads(const report::ReportReader& reader, events::Strings& strings) {
  Threads threads;
  if (!reader.has_table("ThreadNames")) return threads;
  const base::Status read =
      events::for_each_row(reader, "SELECT globalTid, nameId, priority FROM ThreadNames",
                           [&](const report::Statement& row) {
                             Thread thread{{}, strings.text(row.integer(1))};
                             if (!row.is_null(2)) thread.priority = row.integer(2);
                             threads.try_emplace(row.integer(0), std::move(thread));
                           });
  if (!read) return tl::make_unexpected(read.error());
  return threads;
}

}  // namespace

base::Result<tables::Table> cuda_api_trace(const report::ReportReader& reader, const Arguments&) {
  events::Strings strings(reader);
  const auto threads = read_threads(reader, strings);
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
  const Thread unknown;
  tables::SharedTexts shared;
  const base::Status read = events::for_each_event(
      reader,
      {events::kApiTable,
       {"nameId", "returnValue", "correlationId", "globalTid"},
       events::api_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t global_tid = row.integer(3);
        const auto at = threads->find(global_tid);
        const Thread& thread = at == threads->end() ? unknown : at->second;
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
