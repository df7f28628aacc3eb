// cuda_api_sync: calls that wait until everything issued is done.
#include <string>

#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

using tables::CellKind;

base::Result<tables::Table> cuda_api_sync(const report::ReportReader& reader, const Arguments&) {
  tables::Table table{{{"Duration (ns)", CellKind::kInteger},
                       {"Start (ns)", CellKind::kInteger},
                       {"PID", CellKind::kInteger},
                       {"TID", CellKind::kInteger},
                       {"API Name", CellKind::kText}},
                      {}};
  const base::Status read = events::for_each_event(
      reader,
      {events::kApiTable,
       {"globalTid", "value"},
       {},
       "JOIN StringIds ON StringIds.id = nameId WHERE " + to_sql(events::api_calls()) +
           " AND (value GLOB 'cudaDeviceSynchronize*' OR value GLOB 'cudaStreamSynchronize*')"},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t thread = row.integer(0);
        table.rows.push_back({times.duration(), times.start, events::pid_of(thread),
                              events::tid_of(thread), std::string(row.text(1))});
      });
  if (!read) return tl::make_unexpected(read.error());
  sort_longest_first(table);
  return table;
}

}  // namespace prof::analyze
