#include "exporters/stats/cell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prof::stats {

namespace {

// Rounds halves away from zero, as SQLite's round() does, on which nsys's reports rest.
std::string rounded(double value, int decimals) {
  const long double scale = std::pow(10.0L, decimals);
  return fmt::format("{:.{}f}", static_cast<double>(std::round(value * scale) / scale), decimals);
}

// 1234567.8 -> 1,234,567.8
std::string grouped(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(number.find('.'), number.size());
  while (at > first + 3) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

}  // namespace

std::string plain_text(const Cell& cell, const ColumnSpec& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return rounded(*real, column.decimals);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

std::string grouped_text(const Cell& cell, const ColumnSpec& column) {
  std::string text = plain_text(cell, column);
  return column.kind == CellKind::kText ? text : grouped(std::move(text));
}

}  // namespace prof::stats
