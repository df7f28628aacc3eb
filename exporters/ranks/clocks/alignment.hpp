// Puts several reports on one clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/ranks/clocks/clocks.hpp"

namespace prof::ranks {

enum class AlignBy {
  // By collectives where reports have them, otherwise by clock. If that is impossible, the times
  // stay.
  kBest,
  kClock,        // the clock that reports of one machine share; of several machines the wall clock
  kCollectives,  // of several machines the ends of collective operations
  kRange,        // the first range with a name starts at the same time in all reports
  kNone,         // the times stay
};

struct ClockChoice {
  AlignBy by = AlignBy::kBest;
  std::string range = {};  // with kRange
};

// Parses "clock", "collectives", "range:NAME" or "none"; empty: the best.
base::Result<ClockChoice> parse_clock_choice(const std::string& text);

struct AlignedReports {
  std::vector<events::ClockMap> clocks;   // of each report, in their order
  std::optional<std::int64_t> utc_start;  // wall clock at the common clock's 0; unknown by range
  // Why the times stay, unless that was asked for. Empty: the reports are aligned.
  std::string not_aligned = {};
  std::vector<std::string> unknown_errors = {};  // a line for each machine
  std::vector<MachineEstimate> machines = {};    // none by range, and without an alignment
};

// The common clock begins with the report that began first. Fails if a report cannot be read, or
// cannot be aligned as asked for.
base::Result<AlignedReports> align_reports(const std::vector<std::string>& paths,
                                           const ClockChoice& choice);

// The clock that reports of a job share: AlignedReports, by the paths of the reports.
class CommonClock {
 public:
  CommonClock() = default;  // nothing is known: each report has its own clock
  CommonClock(const std::vector<std::string>& paths, const ClockChoice& choice,
              AlignedReports aligned);

  bool is_known() const { return !places_.empty(); }
  // Times of other reports stay.
  events::ClockMap of(const std::string& path) const;
  // The places of these reports.
  Alignment alignment(const std::vector<std::string>& paths) const;
  // Those that were compared; none by range, and without an alignment.
  const std::vector<MachineEstimate>& machines() const { return machines_; }

 private:
  std::map<std::string, ReportPlace> places_;
  std::vector<MachineEstimate> machines_;
};

}  // namespace prof::ranks
