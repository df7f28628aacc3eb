#include "exporters/ranks/clocks/clock_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::ranks {

namespace {

using tables::Cell;
using tables::CellKind;

const char* text_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::kReference:
      return "reference";
    case Evidence::kCollectives:
      return "collectives";
    case Evidence::kWallClock:
      return "wall clock";
    case Evidence::kNone:
      return "none";
  }
  return "";
}

Cell rounded(double ns) { return Cell{static_cast<std::int64_t>(std::llround(ns))}; }

std::string readable(double ns) {
  return tables::readable_text(ns, tables::Measure::kDuration).value_or("?");
}

}  // namespace

tables::Table clock_table(const std::vector<MachineEstimate>& machines) {
  tables::Table table{{{"Host", CellKind::kText},
                       {"Reports", CellKind::kInteger},
                       {"Evidence", CellKind::kText},
                       {"Error (ns)", CellKind::kInteger},
                       {"Drift (ppm)", CellKind::kReal, 3},
                       {"Wall Clock Ahead (ns)", CellKind::kInteger},
                       {"Operations", CellKind::kInteger},
                       {"Unmatched", CellKind::kInteger},
                       {"Closure (ns)", CellKind::kInteger}},
                      {}};
  constexpr double kPpm = 1e6;
  for (const MachineEstimate& each : machines) {
    const bool is_compared = each.evidence == Evidence::kCollectives;
    // The drift of a clock that is too fast is above 0.
    table.rows.push_back({each.node.empty() ? Cell{} : Cell{tables::Text(each.node)},
                          Cell{static_cast<std::int64_t>(each.reports.size())},
                          Cell{tables::Text(text_of(each.evidence))},
                          each.bound ? rounded(*each.bound) : Cell{},
                          is_compared ? Cell{-each.drift * kPpm} : Cell{},
                          each.wall_offset ? rounded(*each.wall_offset) : Cell{},
                          is_compared ? Cell{static_cast<std::int64_t>(each.matched)} : Cell{},
                          is_compared ? Cell{static_cast<std::int64_t>(each.unmatched)} : Cell{},
                          is_compared ? rounded(each.closure) : Cell{}});
  }
  return table;
}

std::vector<std::string> clock_remarks(const std::vector<MachineEstimate>& machines) {
  std::vector<std::string> remarks;
  for (const MachineEstimate& each : machines) {
    for (const ClockStep& step : each.steps)
      remarks.push_back(fmt::format("{}: the wall clock was set by {}{} about {} after the start.",
                                    each.node, step.size < 0 ? "-" : "",
                                    readable(std::abs(static_cast<double>(step.size))),
                                    readable(static_cast<double>(step.time))));
    if (each.evidence == Evidence::kNone)
      remarks.push_back(fmt::format(
          "{}: its clock cannot be compared with that of {}: there are no collective operations of "
          "both, and not both wall clocks are synchronized.",
          each.node, machines.front().node));
  }
  return remarks;
}

}  // namespace prof::ranks
