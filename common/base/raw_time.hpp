// The clock of a recording.
#pragma once

#include <time.h>

#include <cstdint>

namespace prof::base {

inline std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Returns CLOCK_MONOTONIC_RAW in ns.
inline std::uint64_t raw_time() { return clock_ns(CLOCK_MONOTONIC_RAW); }

}  // namespace prof::base
