// The clock of a session, with which all processes timestamp their records. It is the TSC if the
// kernel itself uses the TSC, else CLOCK_MONOTONIC_RAW.
#pragma once

#include <cstdint>

#include "collector/spool/clock_model.hpp"

namespace prof::spool {

class SessionClock {
 public:
  static SessionClock tsc(double ticks_per_second) { return {true, ticks_per_second}; }
  static SessionClock monotonic_raw() { return {false, 1e9}; }

  bool is_tsc() const { return is_tsc_; }
  double ticks_per_second() const { return ticks_per_second_; }

  // Reads all clocks now. `ticks` is the reading of this clock.
  ClockTriple read() const { return read_clocks(is_tsc_); }
  std::uint64_t now() const { return read().ticks; }

  // Converts durations. The rate is precise to 2e-4, which does not suffice for timestamps (see
  // ClockModel).
  std::uint64_t to_ticks(std::uint64_t ns) const {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_second_ / 1e9);
  }
  double to_ns(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * (1e9 / ticks_per_second_);
  }

 private:
  SessionClock(bool is_tsc, double ticks_per_second)
      : is_tsc_(is_tsc), ticks_per_second_(ticks_per_second) {}

  bool is_tsc_;
  double ticks_per_second_;
};

// Selects the clock of a session and measures its rate. A measurement of the TSC takes 1 ms. It
// starts in the constructor, so finish() waits only for the rest of that time.
class ClockMeasurement {
 public:
  SessionClock finish() const {
    return is_tsc_ ? SessionClock::tsc(measure_tsc_rate(start_)) : SessionClock::monotonic_raw();
  }

 private:
  bool is_tsc_ = tsc_is_reliable();
  ClockTriple start_ = read_clocks(is_tsc_);
};

}  // namespace prof::spool
