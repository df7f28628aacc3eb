// The session's clock: the processor's counter if the kernel itself uses it (rdtsc: 9.5 ns a
// reading), else CLOCK_MONOTONIC_RAW through the vDSO (about 23 ns). The collector chooses, and
// converts readings.
#pragma once

#include <time.h>

#include <cstdint>

#include "common/wire/machine/machine.hpp"
#include "injection/core/process_state.hpp"

namespace prof::core {

// Returns CLOCK_MONOTONIC_RAW in ns, or 0 if the process may not read a clock, not even through the
// vDSO. Not inlined: most wrappers read the TSC, and this code would be in each of them.
[[gnu::noinline]] inline std::uint64_t monotonic_raw() {
  if (g_process.clock_forbidden) return 0;
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

[[gnu::always_inline]] inline std::uint64_t now() {
  if (g_process.use_tsc) [[likely]]
    return wire::read_ticks();
  return monotonic_raw();
}

}  // namespace prof::core
