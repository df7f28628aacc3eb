// Finds which operations of two ranks are the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/ranks/collectives/collective_calls.hpp"

namespace prof::ranks {

// A collective operation that ends on all ranks at nearly the same time.
struct CollectiveEnd {
  std::int64_t end;       // ns
  std::int64_t duration;  // ns, on the GPU; includes waiting for other ranks
  std::uint64_t letter;   // stands for the operation and its size
};

// What the wall clocks say about the difference of two clocks, in ns.
struct ExpectedDifference {
  double difference;  // time of the second clock - time of the first one
  double error;
};

struct Matching {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // indices, in ascending order
  std::size_t unmatched = 0;  // operations of either rank within the time that both recorded
};

// Matches the operations that end together of two ranks of a communicator. A rank may have begun to
// record later, and may have lost operations: the letters and the times between the ends say which
// operations belong together. The clocks may differ by any time, and by up to 100 ppm in rate.
Matching match(const std::vector<CollectiveEnd>& a, const std::vector<CollectiveEnd>& b,
               const std::optional<ExpectedDifference>& expected = {});

// Matches two sequences without losses by their order, whatever their ends are. Returns nothing if
// they are not equally long or have different letters: then a rank has begun or ended to record at
// another time.
Matching match_in_order(const std::vector<CollectiveEnd>& a, const std::vector<CollectiveEnd>& b);

// Matches all calls of two ranks by their order if they are equally many with the same letters and
// each overlaps its partner. Clocks of the two differ by at most `error` ns. Otherwise it returns
// nothing.
Matching match_overlapping(const std::vector<RankCall>& a, const std::vector<RankCall>& b,
                           double error);

// Matches all operations of two ranks of a communicator. Those that end together say how the others
// belong together: these match if both ranks have the same ones in between. Without such operations
// both ranks must have the same ones from the first to the last.
Matching match_calls(const std::vector<RankCall>& a, const std::vector<RankCall>& b,
                     const std::optional<ExpectedDifference>& expected = {});

}  // namespace prof::ranks
