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

// Length of the character that the text starts with; 0 if it is none, or zero.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_no_character ? 0 : length;
}

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0)
      result += "\ufffd";
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
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
  if (const auto* text = std::get_if<std::string>(&cell)) return clean(*text);
  return {};
}

std::string grouped_text(const Cell& cell, const ColumnSpec& column) {
  std::string text = plain_text(cell, column);
  return column.kind == CellKind::kText ? text : grouped(std::move(text));
}

}  // namespace prof::stats
