// ftrace_sum: events of the kernel's tracepoints, by name.
#include <fmt/format.h>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/metrics/ftrace_types.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> ftrace_sum(const report::ReportReader& reader, const Arguments&) {
  tables::Table table{{{"Events (%)", CellKind::kReal, 1},
                       {"Events", CellKind::kInteger},
                       {"Threads", CellKind::kInteger},
                       {"Name", CellKind::kText}},
                      {}};
  const std::string is_ftrace = events::is_ftrace_type(reader, "event.typeId");
  if (is_ftrace.empty()) return table;
  events::Strings strings(reader);
  std::int64_t all = 0;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format(
          "SELECT count(*), count(DISTINCT globalTid), (SELECT nameId FROM "
          "GENERIC_EVENT_TYPES AS named WHERE named.typeId = event.typeId) FROM {} AS event "
          "WHERE {} GROUP BY typeId",
          events::kGenericEventTable, is_ftrace),
      [&](const report::Statement& row) {
        all += row.integer(0);
        table.rows.push_back(
            {tables::Cell{}, row.integer(0), row.integer(1), strings.text(row.integer(2))});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& row : table.rows) row[0] = tables::percent(std::get<std::int64_t>(row[1]), all);
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
