// A table of results, before it is formatted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exporters/analysis/tables/text.hpp"

namespace prof::tables {

enum class CellKind { kInteger, kReal, kText };

struct ColumnSpec {
  std::string header;
  CellKind kind;
  int decimals = 0;  // of a real number
};

// A value of a table. std::monostate is an empty cell.
using Cell = std::variant<std::monostate, std::int64_t, double, Text>;

inline Cell optional_cell(std::optional<std::int64_t> value) {
  return value ? Cell{*value} : Cell{};
}

struct Table {
  std::vector<ColumnSpec> columns;
  std::vector<std::vector<Cell>> rows;
};

// Sorts a trace by its first column, which is a time.
inline void sort_by_first(Table& table) {
  const auto earlier = [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), earlier);
}

// Sorts by one column, largest value first. The sort is stable.
inline void sort_descending(Table& table, std::size_t column) {
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return a[column] > b[column]; });
}

}  // namespace prof::tables
