// Converts readings of the session's clock into ns on the session's timeline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace prof::spool {

// Readings of the three clocks at the same moment.
struct ClockTriple {
  std::uint64_t ticks;     // the session's clock: rdtsc, or CLOCK_MONOTONIC_RAW in ns
  std::int64_t monotonic;  // CLOCK_MONOTONIC_RAW, ns
  std::int64_t realtime;   // CLOCK_REALTIME, ns since the epoch
};

// Reads the clocks several times and keeps the reading that was interrupted least. `use_tsc`
// selects what `ticks` counts.
ClockTriple read_clocks(bool use_tsc);

// True if the kernel itself uses the TSC. Only then is the TSC constant, synchronised and never
// stopped.
bool tsc_is_reliable();

// Returns the ticks per second, measured against CLOCK_MONOTONIC_RAW from `start` to now. If that
// is less than 0.5 ms, waits until then. Precise to 2e-4: sufficient for thresholds, not for
// timestamps.
double measure_tsc_rate(const ClockTriple& start = read_clocks(true));

// The model is piecewise linear between triples, and extrapolates with the slope of the nearest
// segment. Time 0 is the first triple. With fewer than two usable triples it uses `fallback_rate`
// ticks/s.
class ClockModel {
 public:
  ClockModel(std::span<const ClockTriple> triples, double fallback_rate);

  // The conversion is monotonic: a <= b implies to_ns(a) <= to_ns(b).
  std::int64_t to_ns(std::uint64_t ticks) const;

  // Converts CLOCK_MONOTONIC_RAW, in ns, to the session's timeline.
  std::int64_t from_monotonic(std::uint64_t nanoseconds) const {
    return static_cast<std::int64_t>(nanoseconds - static_cast<std::uint64_t>(origin_));
  }

  // The inverse of from_monotonic().
  std::uint64_t to_monotonic(std::int64_t ns) const {
    return static_cast<std::uint64_t>(ns + origin_);
  }

  // Moves time 0 of the timeline to `ns`.
  void set_zero(std::int64_t ns);

  // Returns the last time at which a triple was taken, ns.
  std::int64_t end() const { return end_; }

 private:
  struct Segment {
    std::uint64_t ticks;  // start of the segment
    std::int64_t ns;
    double ns_per_tick;
  };
  std::size_t find_segment(std::uint64_t ticks) const;

  std::vector<Segment> segments_;  // at least one segment, ascending
  std::int64_t origin_ = 0;        // CLOCK_MONOTONIC_RAW at time 0
  std::int64_t end_ = 0;
  // The segment of the last conversion, with which the next search begins: records come in order.
  mutable std::size_t hint_ = 0;
};

}  // namespace prof::spool
