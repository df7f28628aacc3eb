#include "exporters/analysis/stats/operators/work_cells.hpp"

#include <algorithm>

#include "exporters/analysis/operators/limits.hpp"

namespace prof::stats {

using operators::WorkSum;
using tables::CellKind;

std::vector<tables::ColumnSpec> work_columns() {
  return {{"Matrix FLOPs", CellKind::kInteger}, {"Vector FLOPs", CellKind::kInteger},
          {"Bytes", CellKind::kInteger},        {"TFLOP/s", CellKind::kReal, 3},
          {"GB/s", CellKind::kReal, 1},         {"FLOP/B", CellKind::kReal, 2}};
}

std::vector<tables::Cell> work_cells(const WorkSum& sum) {
  std::vector<tables::Cell> cells(6);
  const double flops =
      static_cast<double>(sum.matrix_flops) + static_cast<double>(sum.vector_flops);
  if (sum.has_operations()) {
    cells[0] = sum.matrix_flops;
    cells[1] = sum.vector_flops;
    cells[3] = flops / static_cast<double>(sum.computing_time) * 1e-3;
  }
  if (sum.has_bytes()) {
    cells[2] = sum.bytes;
    cells[4] = static_cast<double>(sum.bytes) / static_cast<double>(sum.moving_time);
  }
  if (sum.has_operations() && sum.bytes > 0) cells[5] = flops / static_cast<double>(sum.bytes);
  return cells;
}

std::string product_text(const operators::Operator& each) {
  return each.agreement == operators::Agreement::kDiffers ? "differs: " + each.products
                                                          : each.products;
}

std::vector<tables::ColumnSpec> limit_columns() {
  return {{"Bound", CellKind::kText},
          {"Roof (%)", CellKind::kReal, 1},
          {"Headroom (ns)", CellKind::kInteger}};
}

std::vector<tables::Cell> limit_cells(const WorkSum& sum) {
  if (!sum.has_limit()) return std::vector<tables::Cell>(3);
  const auto time = static_cast<double>(sum.limited_time);
  const operators::Bound bound = operators::bound_of({sum.least_compute, sum.least_memory}, time);
  return {operators::name_of(bound), 100 * sum.least / time,
          static_cast<std::int64_t>(std::max(0.0, time - sum.least))};
}

}  // namespace prof::stats
