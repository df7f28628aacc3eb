// Samples of the CPU time that this process uses, taken by signal handlers: only where the kernel
// does not let the collector take them (kFeatureCpuSampling). One real-time signal is ours for
// that; the program is not to notice.
#pragma once

#include <cstdint>

namespace prof::sampler {

// The sampler's signal; 0 where it does not run.
int own_signal();

inline constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// The first that libc leaves to programs; a set of all signals has none of those before it.
inline constexpr int kFirstOfPrograms = 34;

// Is the signal in the set as all are, or all but a few, and not it in particular?
inline bool means_all(std::uint64_t set, int signal) {
  const int other = signal == kFirstOfPrograms ? signal + 2 : signal - 1;
  const std::uint64_t around = bit_of(other) | bit_of(signal + 1);
  return (set & around) == around;
}

// The program wants the signal for itself, which is now as if we had never had it.
void yield_signal();

// The thread has an alternate signal stack of `bytes` (0: none). Is it large enough for us, too?
// If not, the thread is not sampled.
void fit_signal_stack(std::uint64_t bytes);

}  // namespace prof::sampler
