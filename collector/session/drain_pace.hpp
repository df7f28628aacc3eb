// How often the collector drains the arena.
#pragma once

#include <chrono>
#include <cstdint>

#include "collector/session/options/session_options.hpp"

namespace prof::session {

class DrainPace {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPollInterval{10};

  explicit DrainPace(const SessionOptions& options);

  // Returns the longest pause while nothing is recorded.
  std::chrono::milliseconds idle_interval() const { return idle_interval_; }
  // Returns when the next drain is due. `requested`: a process has asked for one.
  Clock::time_point due(bool requested) const;
  // Notes that a drain took `bytes` and began at `begin`.
  void drained(std::uint64_t bytes, Clock::time_point begin);

 private:
  std::chrono::milliseconds idle_interval_;
  Clock::duration pause_ = kPollInterval;  // pause between two drains
  Clock::time_point last_{};
};

}  // namespace prof::session
