#include "exporters/ranks/clocks/clock_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/text/json.hpp"
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
    case Evidence::kMessages:
      return "messages";
    case Evidence::kWallClock:
      return "wall clock";
    case Evidence::kNone:
      return "none";
  }
  return "";
}

Cell rounded(double ns) { return Cell{static_cast<std::int64_t>(std::llround(ns))}; }

// Returns null if the machine of the report is unknown.
const MachineEstimate* machine_of(const AlignedReports& aligned, std::size_t report) {
  const auto machine = std::ranges::find_if(aligned.machines, [&](const MachineEstimate& each) {
    return std::ranges::find(each.reports, report) != each.reports.end();
  });
  return machine == aligned.machines.end() ? nullptr : &*machine;
}

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
    const bool is_compared =
        each.evidence == Evidence::kCollectives || each.evidence == Evidence::kMessages;
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

tables::Table report_clock_table(const std::vector<std::string>& paths,
                                 const AlignedReports& aligned) {
  tables::Table table{{{"report", CellKind::kText},
                       {"offset", CellKind::kInteger},
                       {"drift", CellKind::kReal, 12},
                       {"middle", CellKind::kInteger},
                       {"node", CellKind::kText},
                       {"evidence", CellKind::kText},
                       {"error", CellKind::kInteger},
                       {"not_aligned", CellKind::kText}},
                      {}};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const events::ClockMap& clock = aligned.clocks[i];
    const MachineEstimate* machine = machine_of(aligned, i);
    table.rows.push_back(
        {tables::Text(paths[i]), Cell{clock.offset}, Cell{clock.drift}, Cell{clock.middle},
         machine != nullptr ? Cell{tables::Text(machine->node)} : Cell{},
         machine != nullptr ? Cell{tables::Text(text_of(machine->evidence))} : Cell{},
         machine != nullptr && machine->bound ? rounded(*machine->bound) : Cell{},
         aligned.not_aligned.empty() ? Cell{} : Cell{tables::Text(aligned.not_aligned)}});
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

std::string clock_json(const AlignedReports& aligned, std::size_t report) {
  const MachineEstimate* machine = machine_of(aligned, report);
  if (machine == nullptr) return "null";
  base::Json json;
  const auto add = [&](const char* key, const std::optional<double>& ns) {
    json.key(key);
    ns ? json.value(std::llround(*ns)) : json.null();
  };
  json.begin_object().pair("node", machine->node).pair("evidence", text_of(machine->evidence));
  const events::ClockMap& clock = aligned.clocks[report];
  json.pair("is_aligned", aligned.not_aligned.empty())
      .pair("offset_ns", clock.offset)
      .pair("drift", clock.drift)
      .pair("middle_ns", clock.middle);
  add("bound_ns", machine->bound);
  add("wall_offset_ns", machine->wall_offset);
  add("closure_ns", machine->closure);
  json.pair("matched", machine->matched).pair("unmatched", machine->unmatched);
  json.key("steps").begin_list();
  for (const ClockStep& step : machine->steps)
    json.begin_object().pair("time_ns", step.time).pair("size_ns", step.size).end_object();
  return json.end_list().end_object().take();
}

}  // namespace prof::ranks
