// The session's clock. rdtsc where the kernel itself trusts it (9.5 ns), else CLOCK_MONOTONIC_RAW
// through the vDSO (about 23 ns). The collector says which, and converts.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "injection/core/process_state.hpp"

namespace prof::core {

// CLOCK_MONOTONIC_RAW, ns; 0 where reading a clock is forbidden, of which the vDSO is no exception.
// Not worth its room in every wrapper, which mostly read the other clock.
[[gnu::noinline]] inline std::uint64_t monotonic_raw() {
  if (g_process.clock_forbidden) return 0;
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

inline std::uint64_t now() {
  if (g_process.use_tsc) [[likely]]
    return __rdtsc();
  return monotonic_raw();
}

}  // namespace prof::core
