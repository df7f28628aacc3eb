// operator_trace: every call of an operator with GPU operations.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/operators/code_places.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/operators/source_remark.hpp"
#include "exporters/analysis/stats/operators/work_cells.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

std::vector<tables::ColumnSpec> operator_trace_columns() {
  std::vector<tables::ColumnSpec> columns;
  for (const char* header :
       {"Start (ns)", "Duration (ns)", "GPU Time (ns)", "GPU Operations", "PID", "TID", "Device"})
    columns.push_back({header, CellKind::kInteger});
  for (const auto& part : {work_columns(), limit_columns()})
    columns.insert(columns.end(), part.begin(), part.end());
  for (const char* header : {"Operator", "Called As", "Shapes", "Type", "Direction", "Module",
                             "Tensor Cores", "Source", "Line", kProductColumn})
    columns.push_back({header, CellKind::kText});
  return columns;
}

class TraceRows {
 public:
  TraceRows(const operators::OperatorModel& model, const operators::CodePlaces& places)
      : model_(model), places_(places) {}

  std::vector<tables::Cell> row(const operators::OperatorCall& call) {
    const operators::Operator& each = model_.operator_of(call);
    const bool is_launched = call.global_tid != 0;
    std::vector<tables::Cell> cells{
        call.start,
        call.end - call.start,
        call.gpu_time,
        std::int64_t{call.operations},
        events::pid_of(call.global_pid),
        is_launched ? tables::Cell{events::tid_of(call.global_tid)} : tables::Cell{},
        std::int64_t{call.device}};
    operators::WorkSum sum;
    sum.add(model_, call);
    for (const auto& part : {work_cells(sum), limit_cells(sum)})
      cells.insert(cells.end(), part.begin(), part.end());
    for (const std::string_view text :
         {std::string_view(each.name), std::string_view(each.outermost),
          std::string_view(each.shapes), std::string_view(operators::name_of(each.type)),
          std::string_view(operators::name_of(each.direction))})
      cells.emplace_back(texts_(text));
    cells.emplace_back(texts_(model_.scope_path(each.scope)));
    cells.emplace_back(texts_(insight::name_of(each.tensor_cores)));
    cells.emplace_back(texts_(operators::name_of(each.source)));
    cells.emplace_back(texts_(places_.text(call.chain)));
    cells.emplace_back(texts_(product_text(each)));
    return cells;
  }

 private:
  const operators::OperatorModel& model_;
  const operators::CodePlaces& places_;
  tables::SharedTexts texts_;
};

}  // namespace

base::Result<tables::Table> operator_trace(const report::ReportReader& reader,
                                           const Arguments& arguments) {
  const auto model = operators::OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  const auto places = operators::CodePlaces::read(reader);
  if (!places) return tl::make_unexpected(places.error());
  tables::Table table{operator_trace_columns(), {}};
  TraceRows rows(*model, *places);
  for (const operators::OperatorCall& call : model->calls()) table.rows.push_back(rows.row(call));
  tables::sort_by_first(table);
  remark_on_sources(reader, *model);
  return table;
}

}  // namespace prof::stats
