// When records of the last moments were written, while the recording still goes on: the report is
// made with a better clock (spool/clock_model.hpp).
#pragma once

#include <cstdint>

#include "collector/base/raw_time.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::session {

class TickClock {
 public:
  // `rate`: ticks a second.
  TickClock(bool use_tsc, double rate) : use_tsc_(use_tsc), ns_per_tick_(1e9 / rate) { set(); }

  // Now. Good to 0.1 ms for what happened in the second before.
  void set() {
    const spool::ClockTriple now = spool::read_clocks(use_tsc_);
    ticks_ = now.ticks;
    raw_ = static_cast<std::uint64_t>(now.monotonic);
  }

  // CLOCK_MONOTONIC_RAW, ns. What is older than a second, or says that it is still to come, counts
  // for the moment of set().
  std::uint64_t raw(std::uint64_t ticks) const {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto age = static_cast<double>(ticks_ - ticks) * ns_per_tick_;
    if (ticks > ticks_ || age > static_cast<double>(kSecond)) return raw_;
    return raw_ - static_cast<std::uint64_t>(age);
  }

 private:
  bool use_tsc_;
  double ns_per_tick_;
  std::uint64_t ticks_ = 0;
  std::uint64_t raw_ = 0;
};

}  // namespace prof::session
