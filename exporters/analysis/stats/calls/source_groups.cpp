#include "exporters/analysis/stats/calls/source_groups.hpp"

#include <string>
#include <vector>

#include "exporters/analysis/events/strings.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

std::vector<tables::ColumnSpec> size_columns() {
  return {{"Total Message Volume", CellKind::kInteger},
          {"Instances", CellKind::kInteger},
          {"Avg", CellKind::kReal, 1},
          {"Med", CellKind::kReal, 1},
          {"Min", CellKind::kInteger},
          {"Max", CellKind::kInteger},
          {"StdDev", CellKind::kReal, 1},
          {"Source", CellKind::kText},
          {"Name", CellKind::kText}};
}

}  // namespace

tables::Table time_table(const report::ReportReader& reader, SourceGroups& groups) {
  events::Strings strings(reader);
  return summary_table(groups, "Instances", {"Source", "Name"}, [&](const SourceAndName& key) {
    return std::vector<std::string>{std::string(key.source), strings.text(key.name)};
  });
}

tables::Table size_table(const report::ReportReader& reader, SourceGroups& groups) {
  events::Strings strings(reader);
  tables::Table table{size_columns(), {}};
  for (const auto& [key, sizes, percent] : groups.summarise())
    table.rows.push_back({sizes.total, sizes.count, sizes.average, sizes.median, sizes.minimum,
                          sizes.maximum, sizes.deviation, std::string(key.source),
                          strings.text(key.name)});
  sort_ties(table, 0);
  return table;
}

}  // namespace prof::stats
