#include "exporters/analysis/stats/pages/page_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace prof::stats {

namespace {

// The larger units of a unit, each a thousand times the one before.
struct UnitSteps {
  std::string_view unit;
  bool is_whole;  // else it may be a part: "byte/s"
  std::array<std::string_view, 4> steps;
};
constexpr UnitSteps kUnitSteps[] = {{"byte", false, {"Kbyte", "Mbyte", "Gbyte", "Tbyte"}},
                                    {"hz", true, {"Khz", "Mhz", "Ghz", ""}},
                                    {"ns", true, {"us", "ms", "s", ""}},
                                    {"/s", false, {"/ms", "/us", "/ns", ""}}};

std::string_view step_of(const UnitSteps& units, double value, double& factor) {
  std::string_view step;
  for (const std::string_view each : units.steps) {
    if (each.empty() || std::abs(value) < 1000 * factor) break;
    step = each;
    factor *= 1000;
  }
  return step;
}

}  // namespace

ScaledUnit scaled_unit(std::string_view unit, double value) {
  for (const UnitSteps& units : kUnitSteps) {
    const std::size_t at =
        units.is_whole ? (unit == units.unit ? 0 : std::string_view::npos) : unit.find(units.unit);
    if (at == std::string_view::npos) continue;
    double factor = 1;
    const std::string_view step = step_of(units, value, factor);
    if (step.empty()) break;
    return {std::string(unit).replace(at, units.unit.size(), step), factor};
  }
  return {std::string(unit), 1};
}

std::string page_number(double value) {
  constexpr double kLargest = 1e18;  // with separators
  if (std::abs(value) >= kLargest) return fmt::format("{:g}", value);
  std::string text = fmt::format("{:.{}f}", value, value == std::floor(value) ? 0 : 2);
  const std::size_t point = text.find('.');
  const std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t at = (point == std::string::npos ? text.size() : point); at > first + 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

void append_csv_field(std::string& text, std::string_view field, bool is_first) {
  text += is_first ? "\"" : ",\"";
  for (const char each : field) text.append(each == '"' ? 2 : 1, each);
  text += '"';
}

}  // namespace prof::stats
