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
  // `periods` must be sorted by thread and start.
  explicit ShareClock(std::span<const Period> periods);

  // Both functions are fast if a time is not far after the time of the previous call.

  // Returns how much of [start, end) belongs to a thread with this activity, in ns.
  double share(Activity activity, std::int64_t start, std::int64_t end);
  // Returns the part of the moment that belongs to each running thread: 1 if it is the only one.
  double part_of_running(std::int64_t time);

 private:
  // The state of a rank from this time until the time of the next step.
  struct Step {
    std::int64_t time;
    std::uint32_t threads;  // number of threads of the rank; 0 if they do not matter
    double before;  // ns that a thread of this rank would have got from the beginning to `time`

    // Returns the value of `before` at a later time.
    double until(std::int64_t later) const {
      return threads == 0 ? before : before + static_cast<double>(later - time) / threads;
    }
  };
  struct Steps {
    std::vector<Step> all;
    std::size_t last = 0;  // index of the step that was found last

    // Returns the last step that is not after the time, or null.
    const Step* at(std::int64_t time);
    double until(std::int64_t time);
  };

  void add_step(std::int64_t time, const std::array<std::uint32_t, kRanks>& threads);

  std::array<Steps, kRanks> steps_;
};

}  // namespace prof::analyze
