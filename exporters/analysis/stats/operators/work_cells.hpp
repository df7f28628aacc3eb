// Cells of the work and the limits of operators.
#pragma once

#include <string>
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
// What cuBLAS computes for an operator: "NT 128 x 32 x 64", or "differs: NT 128 x 32 x 64" if the
// ranges of the framework say something else.
inline constexpr const char* kProductColumn = "cuBLAS Product";
std::string product_text(const operators::Operator& each);

}  // namespace prof::stats
