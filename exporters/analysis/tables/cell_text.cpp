#include "exporters/analysis/tables/cell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "common/base/utf8.hpp"

namespace prof::tables {

namespace {

constexpr std::array kPowersOfTen = {1.0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L};

// Appends a number that was multiplied with ten for each decimal.
void add_with_point(std::string& out, std::uint64_t number, int decimals) {
  const fmt::format_int text(number);
  const std::string_view digits(text.data(), text.size());
  const auto after = static_cast<std::size_t>(decimals);
  if (digits.size() <= after) {
    out += "0.";
    out.append(after - digits.size(), '0');
    out += digits;
    return;
  }
  out += digits.substr(0, digits.size() - after);
  if (after == 0) return;
  out += '.';
  out += digits.substr(digits.size() - after);
}

// Appends a rounded number. Halves are rounded away from zero, as in SQLite's round(), with which
// nsys's statistics are made.
void add_rounded(std::string& out, double value, int decimals) {
  const long double scale = kPowersOfTen.at(static_cast<std::size_t>(decimals));
  const long double rounded = std::round(value * scale);
  // A double holds such a number with all of its decimals, and an integer is printed faster.
  constexpr long double kMaxExact = 1e15L;
  if (!std::signbit(value) && rounded < kMaxExact)
    add_with_point(out, static_cast<std::uint64_t>(rounded), decimals);
  else
    fmt::format_to(std::back_inserter(out), "{:.{}f}", static_cast<double>(rounded / scale),
                   decimals);
}

// Returns the length of the character at the start of a text, or 0 if it is not valid. Zero bytes
// are not valid, because they end a text for many readers.
std::size_t character_length(std::string_view text) {
  return text.front() == '\0' ? 0 : base::utf8_length(text);
}

void add_valid_utf8(std::string& out, std::string_view text) {
  if (text.find('\0') == std::string_view::npos && base::is_utf8(text)) {
    out += text;
    return;
  }
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      out += "\ufffd";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

// Changes 1234567.8 to 1,234,567.8. The number starts at `first`.
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
    add_valid_utf8(out, text->view());
  }
}

void add_grouped_text(std::string& out, const Cell& cell, const ColumnSpec& column) {
  const std::size_t first = out.size();
  add_plain_text(out, cell, column);
  if (column.kind != CellKind::kText) group_digits(out, first);
}

}  // namespace prof::tables
