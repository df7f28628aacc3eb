// A statistics report as data: what a formatter prints.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exporters/tables/text.hpp"

namespace prof::tables {

enum class CellKind { kInteger, kReal, kText };

struct ColumnSpec {
  std::string header;
  CellKind kind;
  int decimals = 0;  // of a real
};

// std::monostate: there is no value; an empty cell.
using Cell = std::variant<std::monostate, std::int64_t, double, Text>;

inline Cell optional_cell(std::optional<std::int64_t> value) {
  return value ? Cell{*value} : Cell{};
}

struct Table {
  std::vector<ColumnSpec> columns;
  std::vector<std::vector<Cell>> rows;
};

// Of traces: the first column is a time.
inline void sort_by_first(Table& table) {
  const auto earlier = [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), earlier);
}

// By one column, the greatest first; rows that are equal there stay in their order.
inline void sort_falling(Table& table, std::size_t column) {
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return a[column] > b[column]; });
}

}  // namespace prof::tables
