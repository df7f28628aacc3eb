// Which events of a report are read.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace prof::report {

// Selects events that overlap a window of time, of some processes and threads or of all. Times in
// ns, as in the report.
struct EventFilter {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  // Ids in ascending order; without a list: of all.
  std::optional<std::vector<std::int64_t>> processes = {};  // their globalPids, shifted by 24 bits
  std::optional<std::vector<std::int64_t>> threads = {};    // globalTids

  bool operator==(const EventFilter&) const = default;
};

}  // namespace prof::report
