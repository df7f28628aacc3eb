// operator_sum: GPU time and work of operators, by name, shapes, types and module.
#include "exporters/analysis/operators/code_places.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/operators/source_remark.hpp"
#include "exporters/analysis/stats/operators/work_cells.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

std::vector<tables::ColumnSpec> operator_sum_columns() {
  std::vector<tables::ColumnSpec> columns = summary_columns("Calls");
  columns.push_back({"GPU Operations", CellKind::kInteger});
  for (const auto& part : {work_columns(), limit_columns()})
    columns.insert(columns.end(), part.begin(), part.end());
  columns.push_back({"Work Known (%)", CellKind::kReal, 1});
  for (const char* header : {"Operator", "Called As", "Shapes", "Type", "Direction", "Module",
                             "Category", "Tensor Cores", "Source", "Line", kProductColumn})
    columns.push_back({header, CellKind::kText});
  return columns;
}

// Cells of what the operators of a group may not have in common are empty.
std::vector<tables::Cell> text_cells(const operators::OperatorModel& model,
                                     const operators::CallGroup& group, operators::GroupBy by,
                                     const std::string& line) {
  const operators::Operator& each = *group.example;
  std::vector<tables::Cell> cells(11);
  if (by == operators::GroupBy::kOperator || by == operators::GroupBy::kName) {
    cells[0] = each.name;
    cells[6] = each.work.category;
  }
  if (by == operators::GroupBy::kOperator) {
    cells[1] = each.outermost;
    cells[2] = each.shapes;
    cells[3] = operators::name_of(each.type);
    cells[4] = operators::name_of(each.direction);
    cells[7] = insight::name_of(each.tensor_cores);
    cells[8] = operators::name_of(each.source);
    cells[9] = line;
    cells[10] = product_text(each);
  }
  if (by == operators::GroupBy::kOperator || by == operators::GroupBy::kModule)
    cells[5] = model.scope_path(each.scope);
  if (by == operators::GroupBy::kCategory) cells[6] = each.work.category;
  return cells;
}

}  // namespace

base::Result<tables::Table> operator_sum(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  const auto model = operators::OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  const auto places = operators::CodePlaces::read(reader);
  if (!places) return tl::make_unexpected(places.error());
  tables::Table table{operator_sum_columns(), {}};
  std::vector<operators::CallGroup> groups = operators::call_groups(*model, arguments.operators_by);
  std::int64_t total = 0;
  for (const operators::CallGroup& group : groups) total += group.work.gpu_time;
  for (operators::CallGroup& group : groups) {
    const Durations times = summarise(group.times);
    std::vector<tables::Cell> cells =
        summary_cells(times, tables::percent(group.work.gpu_time, total));
    cells.emplace_back(group.operations);
    for (const auto& part : {work_cells(group.work), limit_cells(group.work)})
      cells.insert(cells.end(), part.begin(), part.end());
    cells.emplace_back(tables::percent(group.work.computing_time, group.work.gpu_time));
    for (tables::Cell& cell :
         text_cells(*model, group, arguments.operators_by, places->text(group.chain)))
      cells.push_back(std::move(cell));
    table.rows.push_back(std::move(cells));
  }
  remark_on_sources(reader, *model);
  return table;
}

}  // namespace prof::stats
