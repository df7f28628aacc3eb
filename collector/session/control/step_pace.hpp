// How fast programs take the steps that prof start --at-step counts. A recording is prepared some
// seconds before its first step begins: from then on the processes look for the step themselves, so
// it begins exactly there. Until then they are dormant.
#pragma once

#include <chrono>
#include <cstdint>

namespace prof::session {

class StepPace {
 public:
  using Clock = std::chrono::steady_clock;
  // How often to look while a step is awaited.
  static constexpr auto kInterval = std::chrono::milliseconds(100);

  // `begin`: when the programs began.
  explicit StepPace(Clock::time_point begin) : begin_(begin) {}

  // Takes the number of steps that have begun.
  void look(std::uint64_t begun, Clock::time_point now);

  std::uint64_t begun() const { return begun_; }
  // Returns the pace: the highest of half a second since the first look, and at least the average
  // before it.
  double per_second() const { return per_second_; }
  // Returns the first step that a recording which is requested now can begin with.
  std::uint64_t earliest() const;
  // True if step `first` may begin in the next seconds.
  bool is_near(std::uint64_t first) const;

 private:
  Clock::time_point begin_;
  std::uint64_t begun_ = 0;
  double per_second_ = 0;
  Clock::time_point last_{};  // when the current half second began
  std::uint64_t last_begun_ = 0;
};

}  // namespace prof::session
