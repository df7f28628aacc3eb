#include "exporters/analysis/tables/readable_units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "exporters/analysis/tables/pattern.hpp"

namespace prof::tables {

namespace {

constexpr const char* kTimeUnits[] = {"ns", "us", "ms", "s"};
constexpr const char* kSizeUnits[] = {"B", "KB", "MB", "GB", "TB"};

// Three digits, and no decimals where the unit is the smallest.
template <std::size_t count>
std::string scaled(double value, const char* const (&units)[count]) {
  constexpr double kNext = 999.5;  // it would be printed as 1000
  std::size_t unit = 0;
  for (; std::abs(value) >= kNext && unit + 1 < count; ++unit) value /= 1000;
  const double size = std::abs(value);
  const int decimals = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

std::optional<double> number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell); real != nullptr && std::isfinite(*real))
    return *real;
  return std::nullopt;
}

}  // namespace

Measure measure_of(const ColumnSpec& column) {
  const std::string_view header = column.header;
  if (column.kind == CellKind::kText) return Measure::kOther;
  if (header.ends_with("(ns)")) {
    const bool is_moment =
        contains(header, "Start") || contains(header, "End (") || contains(header, "Peak Time");
    return is_moment ? Measure::kMoment : Measure::kDuration;
  }
  if (header.ends_with("(bytes/s)")) return Measure::kBytesPerSecond;
  const bool is_count_of_bytes = header.starts_with("Bytes ") && !header.ends_with(')');
  return header.ends_with("(bytes)") || is_count_of_bytes ? Measure::kBytes : Measure::kOther;
}

std::string_view without_unit(std::string_view header) {
  return header.substr(0, header.ends_with(')') ? header.rfind(" (") : std::string_view::npos);
}

std::optional<std::string> readable_text(const Cell& cell, Measure measure) {
  const auto value = number(cell);
  if (!value) return std::nullopt;
  switch (measure) {
    case Measure::kDuration:
      return scaled(*value, kTimeUnits);
    case Measure::kMoment:
      return fmt::format("{:.6f} s", *value / 1e9);
    case Measure::kBytes:
      return scaled(*value, kSizeUnits);
    case Measure::kBytesPerSecond:
      return scaled(*value, kSizeUnits) + "/s";
    case Measure::kOther:
      break;
  }
  return std::nullopt;
}

}  // namespace prof::tables
