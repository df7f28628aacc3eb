// Puts the clocks of machines on one timeline: by the ends of collective operations, by messages
// that are not received before they are sent, by the clock that reports of one machine share, and
// by the wall clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/ranks/clocks/report_clock.hpp"

namespace prof::ranks {

// How a machine's clock was compared with that of the first machine.
enum class Evidence { kReference, kCollectives, kMessages, kWallClock, kNone };

// A change of the wall clock that no correction of its rate explains.
struct ClockStep {
  std::int64_t time;  // ns, of the report: when it was seen
  std::int64_t size;  // ns
};

struct MachineEstimate {
  std::string node;
  std::vector<std::size_t> reports;  // indices
  // What makes times of each of these reports times of the machine, which begin with its first
  // report, ns.
  std::vector<std::int64_t> shifts;
  Evidence evidence = Evidence::kNone;
  bool is_placed = true;  // otherwise `offset` says nothing
  // What to add to a time t of the machine: offset + drift * (t - middle).
  double offset = 0;                  // ns
  double drift = 0;                   // ns per ns
  double middle = 0;                  // ns
  std::optional<double> bound;        // ns: the error is below it in 99 of 100 cases
  std::optional<double> wall_offset;  // ns: how far its wall clock is ahead of the first machine's
  double closure = 0;                 // ns: by how much its comparisons contradict one another
  std::size_t matched = 0;            // collective operations
  std::size_t unmatched = 0;
  std::size_t messages = 0;      // from and to other machines, which bound the error
  std::vector<ClockStep> steps;  // of the wall clock
};

// What puts times of report number `place` of the machine on the clock of the first machine.
events::ClockMap clock_of(const MachineEstimate& machine, std::size_t place);

// Where a report's times are on a common clock.
struct ReportPlace {
  std::size_t machine = 0;  // times of reports of one machine can be compared without an error
  events::ClockMap clock = {};
  std::optional<double> bound = {};  // ns, error; nothing: the machine's clock cannot be compared
};

// Times of reports on a common clock.
class Alignment {
 public:
  Alignment() = default;
  explicit Alignment(std::vector<ReportPlace> places) : places_(std::move(places)) {}
  // On the clock of the first machine.
  explicit Alignment(const std::vector<MachineEstimate>& machines);

  std::int64_t common(std::size_t report, std::int64_t time) const {
    return places_[report].clock.common(time);
  }
  std::optional<double> bound(std::size_t report) const { return places_[report].bound; }
  std::size_t machine(std::size_t report) const { return places_[report].machine; }

 private:
  std::vector<ReportPlace> places_;  // by report
};

// Returns the machines in the order of their first reports. The first one is the reference.
std::vector<MachineEstimate> estimate_clocks(const std::vector<ReportClock>& reports);

}  // namespace prof::ranks
