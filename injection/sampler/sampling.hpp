// Samples the CPU time of this process in signal handlers. This is only done if the kernel does not
// let the collector take samples (kFeatureCpuSampling). It uses one real-time signal, and hides
// this from the program.
#pragma once

#include <cstdint>

namespace prof::sampler {

// The sampler's signal. 0: it does not run.
int own_signal();

inline constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// The first signal that libc leaves to programs. A set of all signals lacks the ones before it.
inline constexpr int kFirstOfPrograms = 34;

// Returns whether the set contains the signal because it has all signals, or all but a few, and not
// because the signal was chosen.
inline bool includes_nearly_all(std::uint64_t set, int signal) {
  const int other = signal == kFirstOfPrograms ? signal + 2 : signal - 1;
  const std::uint64_t around = bit_of(other) | bit_of(signal + 1);
  return (set & around) == around;
}

// Gives the signal up, because the program uses it. The program sees it as if it had never been
// ours.
void yield_signal();

// The thread has an alternate signal stack of `bytes` (0: none). If it is too small for the
// handler, the thread is not sampled.
void fit_signal_stack(std::uint64_t bytes);

}  // namespace prof::sampler
