// Finds which operations of two ranks are the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/ranks/clocks/report_clock.hpp"

namespace prof::ranks {

// What the wall clocks say about the difference of two clocks, in ns.
struct ExpectedDifference {
  double difference;  // time of the second clock - time of the first one
  double error;
};

struct Matching {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // indices, in ascending order
  std::size_t unmatched = 0;  // operations of either rank within the time that both recorded
};

// Matches two sequences of a communicator. A rank may have begun to record later, and may have lost
// operations: the letters and the times between the ends say which operations belong together. The
// clocks may differ by any time, and by up to 100 ppm in rate.
Matching match(const std::vector<CollectiveEnd>& a, const std::vector<CollectiveEnd>& b,
               const std::optional<ExpectedDifference>& expected = {});

}  // namespace prof::ranks
