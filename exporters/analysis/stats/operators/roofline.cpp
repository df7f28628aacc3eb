// roofline: operators compared with what their GPU could compute and move.
#include <algorithm>

#include "exporters/analysis/operators/limits.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/operators/source_remark.hpp"
#include "exporters/analysis/stats/operators/work_cells.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using operators::Operator;
using operators::OperatorModel;
using operators::Peaks;
using tables::CellKind;

namespace {

std::vector<tables::ColumnSpec> roof_columns() {
  return {{"Time (%)", CellKind::kReal, 1},
          {"Total Time (ns)", CellKind::kInteger},
          {"Calls", CellKind::kInteger},
          {"FLOP/B", CellKind::kReal, 2},
          {"TFLOP/s", CellKind::kReal, 3},
          {"Attainable TFLOP/s", CellKind::kReal, 3},
          {"Peak TFLOP/s", CellKind::kReal, 1},
          {"GB/s", CellKind::kReal, 1},
          {"Peak GB/s", CellKind::kReal, 1},
          {"Bound", CellKind::kText},
          {"Roof (%)", CellKind::kReal, 1},
          {"Headroom (ns)", CellKind::kInteger},
          {"Operator", CellKind::kText},
          {"Shapes", CellKind::kText},
          {"Type", CellKind::kText},
          {"Direction", CellKind::kText},
          {"Module", CellKind::kText}};
}

std::vector<tables::Cell> roof_row(const OperatorModel& model, const operators::CallGroup& group,
                                   std::int64_t total) {
  constexpr double kTera = 1e-12;
  constexpr double kGiga = 1e-9;
  const Operator& each = *group.example;
  const Peaks& peaks = *model.peaks_of(each);
  const operators::WorkSum& sum = group.work;
  const double flops =
      static_cast<double>(sum.matrix_flops) + static_cast<double>(sum.vector_flops);
  const double peak =
      sum.matrix_flops > 0 ? peaks.matrix_of(each.type) : peaks.vector_of(each.type);
  const std::vector<tables::Cell> work = work_cells(sum);
  const std::vector<tables::Cell> limit = limit_cells(sum);
  return {tables::percent(sum.gpu_time, total),
          sum.gpu_time,
          static_cast<std::int64_t>(group.times.size()),
          work[5],
          work[3],
          flops / sum.least * 1e-3,
          peak * kTera,
          work[4],
          peaks.memory * kGiga,
          limit[0],
          limit[1],
          limit[2],
          each.name,
          each.shapes,
          operators::name_of(each.type),
          operators::name_of(each.direction),
          model.scope_path(each.scope)};
}

}  // namespace

base::Result<tables::Table> roofline(const report::ReportReader& reader,
                                     const Arguments& arguments) {
  const auto model = OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  tables::Table table{roof_columns(), {}};
  const std::vector<operators::CallGroup> groups =
      operators::call_groups(*model, operators::GroupBy::kOperator);
  std::int64_t total = 0;
  for (const operators::CallGroup& group : groups) total += group.work.gpu_time;
  for (const operators::CallGroup& group : groups)
    if (group.work.has_limit()) table.rows.push_back(roof_row(*model, group, total));
  constexpr std::size_t kHeadroom = 11;
  tables::sort_descending(table, kHeadroom);
  remark_on_sources(reader, *model);
  return table;
}

}  // namespace prof::stats
