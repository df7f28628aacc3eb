// Clocks that were compared in pairs.
#pragma once

#include <cstddef>
#include <vector>

namespace prof::ranks {

// Two clocks that were compared: value of b - value of a.
struct Comparison {
  std::size_t a;
  std::size_t b;
  double value;
  double variance;  // above 0
};

struct ComparedClock {
  std::size_t part = 0;  // clocks that comparisons connect are of one part
  double value = 0;      // 0 for the first clock of a part
  double variance = 0;   // on the best way from the first clock of the part
  double closure = 0;    // by how much the comparisons with other clocks contradict one another
};

// Returns the values that fit all comparisons best: weighted least squares over the graph.
std::vector<ComparedClock> solve(std::size_t clocks, const std::vector<Comparison>& comparisons);

}  // namespace prof::ranks
