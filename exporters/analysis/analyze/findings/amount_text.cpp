#include "exporters/analysis/analyze/findings/amount_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace prof::analyze {

namespace {

struct Unit {
  double size;
  const char* name;
};

std::string scaled(double value, std::span<const Unit> units) {
  const auto unit = std::find_if(units.begin(), std::prev(units.end()),
                                 [&](const Unit& each) { return value >= each.size; });
  return fmt::format("{:.3g} {}", value / unit->size, unit->name);
}

}  // namespace

std::string time_text(std::int64_t ns) {
  static constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  return scaled(static_cast<double>(ns), kUnits);
}

std::string count_text(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::string bytes_text(std::int64_t bytes) {
  static constexpr Unit kUnits[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
  return scaled(static_cast<double>(bytes), kUnits);
}

std::string name_text(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  return name.size() <= kLongest ? name : name.substr(0, kLongest) + "...";
}

}  // namespace prof::analyze
