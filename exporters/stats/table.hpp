// A statistics report as data: what a formatter prints.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace prof::stats {

enum class CellKind { kInteger, kReal, kText };

struct ColumnSpec {
  std::string header;
  CellKind kind;
  int decimals = 0;  // of a real
};

using Cell = std::variant<std::int64_t, double, std::string>;

struct Table {
  std::vector<ColumnSpec> columns;
  std::vector<std::vector<Cell>> rows;
};

}  // namespace prof::stats
