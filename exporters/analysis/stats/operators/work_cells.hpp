// Cells of the work and the limits of operators.
#pragma once

#include <vector>

#include "exporters/analysis/operators/call_groups.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// "Matrix FLOPs", "Vector FLOPs", "Bytes", "TFLOP/s", "GB/s", "FLOP/B"
std::vector<tables::ColumnSpec> work_columns();
std::vector<tables::Cell> work_cells(const operators::WorkSum& sum);
// "Bound", "Roof (%)", "Headroom (ns)"
std::vector<tables::ColumnSpec> limit_columns();
std::vector<tables::Cell> limit_cells(const operators::WorkSum& sum);

}  // namespace prof::stats
