// Sums of allocations and releases of one kind of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

struct MemoryAmounts {
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t allocated = 0;  // bytes
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t peak_time = 0;  // ns

  // Adds a change of the bytes in use. Changes come in the order of time.
  void add(std::int64_t time, std::int64_t bytes, bool is_release);
};

// Return the first columns of a table of amounts, and their cells, the largest amount first.
std::vector<tables::ColumnSpec> amount_columns();
std::vector<tables::Cell> amount_cells(const MemoryAmounts& amounts);

}  // namespace prof::stats
