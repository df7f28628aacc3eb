#include "exporters/analysis/stats/memory_amounts.hpp"

#include <algorithm>

namespace prof::stats {

using tables::CellKind;

void MemoryAmounts::add(std::int64_t time, std::int64_t bytes, bool is_release) {
  ++(is_release ? frees : allocations);
  allocated += std::max<std::int64_t>(bytes, 0);
  in_use += bytes;
  if (in_use <= peak) return;
  peak = in_use;
  peak_time = time;
}

std::vector<tables::ColumnSpec> amount_columns() {
  return {{"Peak (bytes)", CellKind::kInteger},      {"Peak Time (ns)", CellKind::kInteger},
          {"Allocations", CellKind::kInteger},       {"Frees", CellKind::kInteger},
          {"Allocated (bytes)", CellKind::kInteger}, {"Never Freed (bytes)", CellKind::kInteger}};
}

std::vector<tables::Cell> amount_cells(const MemoryAmounts& amounts) {
  return {amounts.peak,  amounts.peak_time, amounts.allocations,
          amounts.frees, amounts.allocated, amounts.in_use};
}

}  // namespace prof::stats
