// osrt_sum: OS-runtime calls by function.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/strings.hpp"

namespace prof::stats {

base::Result<Table> osrt_sum(const report::ReportReader& reader) {
  // Other event classes mark where nsys started and stopped tracing.
  auto query = reader.prepare("SELECT nameId, end - start FROM OSRT_API WHERE eventClass = 27");
  if (!query) return tl::make_unexpected(query.error());
  DurationGroups<std::int64_t> groups;
  auto row = query->step();
  for (; row && *row; row = query->step()) groups.add(query->integer(0), query->integer(1));
  if (!row) return tl::make_unexpected(row.error());

  Table table{summary_columns("Num Calls"), {}};
  table.columns.push_back({"Name", CellKind::kText});
  const Strings strings(reader);
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    cells.emplace_back(strings.text(group.key));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
