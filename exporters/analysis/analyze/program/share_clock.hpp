// Divides every moment among the threads that matter at that moment (see cpu_facts.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

class ShareClock {
 public:
  // `periods`: by thread and start.
  explicit ShareClock(std::span<const Period> periods);

  // Both are fast if a time is asked for that is not far after the last one.

  // How much of [start, end) belongs to a thread with this activity, in ns.
  double share(Activity activity, std::int64_t start, std::int64_t end);
  // The part of the moment that belongs to a thread that runs: 1 if it is the only one.
  double part_of_running(std::int64_t time);

 private:
  // From this time on, until that of the next step.
  struct Step {
    std::int64_t time;
    std::uint32_t threads;  // of the rank, if they matter; otherwise 0
    double before;          // ns that a thread got that had this rank from the beginning to here

    // The same to a later time.
    double until(std::int64_t later) const {
      return threads == 0 ? before : before + static_cast<double>(later - time) / threads;
    }
  };
  struct Steps {
    std::vector<Step> all;
    std::size_t last = 0;  // the step that was found last

    // The last step that is not after the time, or null.
    const Step* at(std::int64_t time);
    double until(std::int64_t time);
  };

  void add_step(std::int64_t time, const std::array<std::uint32_t, kRanks>& threads);

  std::array<Steps, kRanks> steps_;
};

}  // namespace prof::analyze
