// Which ranks hold up the others, and why.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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
  // Of a rank whose transfers are slow: an index into JobDelays::slow_transfers(). It is not late.
  std::optional<std::size_t> transfers = {};
  std::string trouble = {};  // what a network interface counted while they were slow
};

// Returns the cause of the largest part of a rank's delays. Where others compete for the CPUs, a
// thread that computes for longer also waits longer for one. So waits for a CPU only count as far
// as they are longer than usual for its time on a CPU. `usual_waits` is the ratio of the others.
Cause main_cause(const RankDelay& rank, double usual_waits);

// Returns the ranks that are late in most steps, in every nth one or in some long ones, the largest
// delay first. Ranks that are late by chance, now one and now another, are not among them.
// Ranks whose transfers are slower than those of others are added.
std::vector<LateRank> late_ranks(const JobDelays& delays, const JobCollectives& job);

// Returns a rank whose transfers are slow. Nothing if they cost too little.
std::optional<LateRank> slow_rank(const JobDelays& delays, std::size_t transfers, std::size_t rank);

}  // namespace prof::ranks
