#include "exporters/stats/cell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace prof::stats {

namespace {

constexpr std::array kPowersOfTen = {1.0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L};

// Rounds halves away from zero, as SQLite's round() does, on which nsys's reports rest.
void add_rounded(std::string& out, double value, int decimals) {
  const long double scale = kPowersOfTen.at(static_cast<std::size_t>(decimals));
  fmt::format_to(std::back_inserter(out), "{:.{}f}",
                 static_cast<double>(std::round(value * scale) / scale), decimals);
}

// 1234567.8 -> 1,234,567.8, from `first` on.
void group_digits(std::string& number, std::size_t first) {
  if (first < number.size() && number[first] == '-') ++first;
  std::size_t at = std::min(number.find('.', first), number.size());
  while (at > first + 3) {
    at -= 3;
    number.insert(at, 1, ',');
  }
}

}  // namespace

void add_plain_text(std::string& out, const Cell& cell, const ColumnSpec& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    const fmt::format_int text(*integer);
    out.append(text.data(), text.size());
  } else if (const auto* real = std::get_if<double>(&cell)) {
    add_rounded(out, *real, column.decimals);
  } else if (const auto* text = std::get_if<Text>(&cell)) {
    out += text->view();
  }
}

void add_grouped_text(std::string& out, const Cell& cell, const ColumnSpec& column) {
  const std::size_t first = out.size();
  add_plain_text(out, cell, column);
  if (column.kind != CellKind::kText) group_digits(out, first);
}

}  // namespace prof::stats
