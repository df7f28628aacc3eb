// Selects the events of a report that are read.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace prof::report {

// Selects events that overlap a window of time, of some or all processes and threads. Times are in
// ns, as in the report.
struct EventFilter {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  // Ids in ascending order. Without a list, all are selected.
  std::optional<std::vector<std::int64_t>> processes = {};  // globalPids, shifted right by 24 bits
  std::optional<std::vector<std::int64_t>> threads = {};    // globalTids

  bool operator==(const EventFilter&) const = default;
};

}  // namespace prof::report
