#include "common/base/text/amounts.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

namespace prof::base {

namespace {

constexpr const char* kDurationUnits[] = {"ns", "us", "ms", "s"};
constexpr const char* kSizeUnits[] = {"B", "kB", "MB", "GB", "TB"};

template <std::size_t count>
Scaled scaled(double value, const char* const (&units)[count]) {
  constexpr double kNext = 999.5;  // three digits of this would be 1000
  std::size_t unit = 0;
  for (; std::abs(value) >= kNext && unit + 1 < count; ++unit) value /= 1000;
  return {value, units[unit], unit == 0};
}

struct Unit {
  std::string_view name;
  double ns;
};
// Longer names come first, because each name is compared with the start of the text.
constexpr Unit kUnits[] = {{"nsec", 1}, {"usec", 1e3}, {"msec", 1e6}, {"sec", 1e9},
                           {"ns", 1},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9}};
constexpr Unit kUnitsOfOptions[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
                                    {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};

}  // namespace

Scaled scaled_duration(double ns) { return scaled(ns, kDurationUnits); }

Scaled scaled_bytes(double bytes) { return scaled(bytes, kSizeUnits); }

std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

std::optional<double> take_duration(std::string_view& text) {
  const auto number = take_number(text);
  if (!number || text.empty()) return number;
  for (const Unit& unit : kUnits)
    if (text.starts_with(unit.name)) {
      text.remove_prefix(unit.name.size());
      return *number * unit.ns;
    }
  return std::nullopt;
}

std::optional<double> parse_duration(std::string_view text) {
  const auto number = take_number(text);
  if (!number || *number < 0) return std::nullopt;
  for (const Unit& unit : kUnitsOfOptions)
    if (text == unit.name) return *number * unit.ns;
  return std::nullopt;
}

}  // namespace prof::base
