#include "exporters/analysis/tables/column_kinds.hpp"

#include <algorithm>
#include <cstddef>

namespace prof::tables {

namespace {

CellKind kind_of(const Cell& cell) {
  if (std::holds_alternative<std::int64_t>(cell)) return CellKind::kInteger;
  return std::holds_alternative<double>(cell) ? CellKind::kReal : CellKind::kText;
}

}  // namespace

void settle_kinds(Table& table, int decimals) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    CellKind kind = CellKind::kInteger;
    bool has_value = false;
    for (const auto& row : table.rows) {
      if (std::holds_alternative<std::monostate>(row[i])) continue;
      has_value = true;
      kind = std::max(kind, kind_of(row[i]));
    }
    table.columns[i].kind = has_value ? kind : CellKind::kText;
    table.columns[i].decimals = decimals;
    if (kind != CellKind::kReal) continue;
    for (auto& row : table.rows)
      if (const auto* integer = std::get_if<std::int64_t>(&row[i]))
        row[i] = static_cast<double>(*integer);
  }
}

}  // namespace prof::tables
