// The clock of a machine from its start on, which reports of one machine share. The wall clock may
// be set while something is recorded; this one is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

struct MachineClock {
  std::string boot;         // identifies the machine and its start
  std::int64_t origin = 0;  // ns on the clock at time 0 of the report
};

// Returns nothing if the report has no valid reading of the clock.
base::Result<std::optional<MachineClock>> read_machine_clock(const report::ReportReader& reader);

// True if `clock_of` returns a clock for each report, and all come from one machine that was not
// restarted in between.
template <class Reports, class ClockOf>
bool share_clock(const Reports& reports, ClockOf clock_of) {
  const std::optional<MachineClock>* first = nullptr;
  for (const auto& each : reports) {
    const std::optional<MachineClock>& clock = clock_of(each);
    if (!clock) return false;
    if (first == nullptr) first = &clock;
    if (clock->boot != (*first)->boot) return false;
  }
  return first != nullptr;
}

}  // namespace prof::events
