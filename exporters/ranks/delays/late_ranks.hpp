// Which ranks hold up the others, and why.
#pragma once

#include <cstddef>
#include <vector>

#include "exporters/ranks/delays/job_delays.hpp"

namespace prof::ranks {

struct LateRank {
  std::size_t rank;  // index into JobCollectives::ranks
  Cause cause;       // of the largest part of its delays
  DelayPattern pattern;
  double delay;  // ns, by this cause
  double late;   // ns by which it came after all others, the most in each step
  double gain;   // ns that the job would save without these delays, at most
};

// Returns the ranks that are late in most steps, in every nth one or in some long ones, the largest
// delay first. Ranks that are late by chance, now one and now another, are not among them.
std::vector<LateRank> late_ranks(const JobDelays& delays);

}  // namespace prof::ranks
