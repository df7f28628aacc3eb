// critical_path: what decided how long the execution took.
#include "exporters/analysis/path/path_sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> critical_path(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  const auto model = path::ExecutionModel::read(reader);
  if (!model) return tl::make_unexpected(model.error());
  const auto segments = path::critical_path(*model);
  const auto sums = path::sum_path(reader, *model, segments, arguments.path_by);
  if (!sums) return tl::make_unexpected(sums.error());
  const bool has_kind = arguments.path_by == path::PathBy::kWork;
  tables::Table table{{{"Time (%)", CellKind::kReal, 1},
                       {"Time on Path (ns)", CellKind::kInteger},
                       {"Count", CellKind::kInteger}},
                      {}};
  if (has_kind) table.columns.push_back({"Kind", CellKind::kText});
  table.columns.push_back({"Name", CellKind::kText});
  for (const path::PathSum& sum : *sums) {
    auto& row = table.rows.emplace_back(std::vector<tables::Cell>{
        tables::percent(sum.time, model->end() - model->begin()), sum.time, sum.count});
    if (has_kind) row.emplace_back(path::name_of(sum.kind));
    row.emplace_back(sum.name);
  }
  return table;
}

}  // namespace prof::stats
