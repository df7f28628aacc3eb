// Samples the CPU time of this process in signal handlers. This is only done if the kernel does not
// permit the collector to take samples (kFeatureCpuSampling). The sampler uses one real-time signal
// and hides it from the program.
#pragma once

#include <cstdint>

namespace prof::sampler {

// Returns the sampler's signal; 0 if the sampler does not run.
int own_signal();

inline constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// The first signal that libc leaves to programs. A set of all signals lacks the signals before it.
inline constexpr int kFirstOfPrograms = 34;

// Returns whether the set contains the signal because it has all, or nearly all, signals, and not
// because the program chose this signal.
inline bool includes_nearly_all(std::uint64_t set, int signal) {
  const int other = signal == kFirstOfPrograms ? signal + 2 : signal - 1;
  const std::uint64_t around = bit_of(other) | bit_of(signal + 1);
  return (set & around) == around;
}

// Gives the signal up because the program uses it. The program sees the signal as if prof had never
// used it.
void yield_signal();

// Reports that the thread has an alternate signal stack of `bytes` (0: none). If the stack is too
// small for the handler, the thread is not sampled.
void fit_signal_stack(std::uint64_t bytes);

}  // namespace prof::sampler
