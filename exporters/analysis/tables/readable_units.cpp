#include "exporters/analysis/tables/readable_units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "common/base/text/amounts.hpp"
#include "exporters/analysis/tables/pattern.hpp"

namespace prof::tables {

namespace {

// Returns a number with three digits, without decimals in the smallest unit.
std::string text_of(const base::Scaled& scaled) {
  const double size = std::abs(scaled.value);
  const int decimals = scaled.is_smallest_unit || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", scaled.value, decimals, scaled.unit);
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
      return text_of(base::scaled_duration(*value));
    case Measure::kMoment:
      return fmt::format("{:.6f} s", *value / 1e9);
    case Measure::kBytes:
      return text_of(base::scaled_bytes(*value));
    case Measure::kBytesPerSecond:
      return text_of(base::scaled_bytes(*value)) + "/s";
    case Measure::kOther:
      break;
  }
  return std::nullopt;
}

}  // namespace prof::tables
