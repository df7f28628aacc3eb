// Converts times of recent records to CLOCK_MONOTONIC_RAW while the session still runs. The report
// is made later with a more precise clock (spool/clock_model.hpp).
#pragma once

#include <cstdint>

#include "collector/spool/session_clock.hpp"

namespace prof::session {

class TickClock {
 public:
  explicit TickClock(const spool::SessionClock& clock) : clock_(clock) { set(); }

  // Takes the present time as the reference. Conversions are precise to 0.1 ms for the second
  // before it.
  void set() {
    const spool::ClockTriple now = clock_.read();
    ticks_ = now.ticks;
    raw_ = static_cast<std::uint64_t>(now.monotonic);
  }

  // Returns CLOCK_MONOTONIC_RAW, ns. A time that is older than a second or lies in the future
  // becomes the reference time.
  std::uint64_t raw(std::uint64_t ticks) const {
    constexpr double kSecond = 1e9;
    const double age = clock_.to_ns(ticks_ - ticks);
    if (ticks > ticks_ || age > kSecond) return raw_;
    return raw_ - static_cast<std::uint64_t>(age);
  }

 private:
  spool::SessionClock clock_;
  std::uint64_t ticks_ = 0;
  std::uint64_t raw_ = 0;
};

}  // namespace prof::session
