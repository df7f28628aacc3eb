// In which steps a rank is slow: in all, in every nth one, or in some.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace prof::ranks {

struct DelayPattern {
  enum class Kind { kPersistent, kPeriodic, kRandom };
  Kind kind = Kind::kRandom;
  std::size_t period = 0;         // steps, of kPeriodic
  std::vector<std::size_t> slow;  // the steps that hold the delay
  std::size_t steps = 0;          // of how many
};

// `delays` has the time of each step beyond that of the other ranks.
DelayPattern pattern_of(const std::vector<double>& delays);

// Returns "in every 5th step", "in 57 of 60 steps".
std::string text_of(const DelayPattern& pattern);

}  // namespace prof::ranks
