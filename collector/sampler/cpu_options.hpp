// What to record about the CPUs.
#pragma once

#include <cstdint>

#include "common/code/unwind/unwinder.hpp"

namespace prof::sampler {

enum class Scope : std::uint8_t { kNone, kProcessTree, kSystem };

enum class Backtrace : std::uint8_t {
  kAuto,          // call frame information, or frame pointers if there is none
  kDwarf,         // only call frame information
  kFramePointer,  // frame pointers, followed by the kernel
  kNone,
};

// Who takes the samples.
enum class SamplingMethod : std::uint8_t {
  kAuto,   // the kernel if that is allowed, else timers if possible
  kPerf,   // only the kernel
  kTimer,  // the processes themselves, by timers
};

struct CpuOptions {
  Scope samples = Scope::kNone;
  Scope switches = Scope::kNone;
  SamplingMethod method = SamplingMethod::kAuto;
  Backtrace backtrace = Backtrace::kAuto;
  std::uint32_t frequency = 1000;  // samples per second of a running thread
  // If not 0: number of events between two samples, which replaces the frequency.
  std::uint64_t period = 0;
  std::uint32_t samples_per_backtrace = 1;
  std::uint32_t stack_bytes = 24 * 1024;  // bytes copied with each sample

  // Returns a size for the kernel, which accepts only multiples of 8.
  std::uint32_t copied_stack_bytes() const {
    return backtrace == Backtrace::kNone ? 0 : stack_bytes & ~7U;
  }
  bool is_any() const { return samples != Scope::kNone || switches != Scope::kNone; }
};

// Returns the unwinder's policy for a kind of backtrace.
inline unwind::Policy policy_of(Backtrace backtrace) {
  if (backtrace == Backtrace::kDwarf) return unwind::Policy::kFrameInfo;
  if (backtrace == Backtrace::kFramePointer) return unwind::Policy::kFramePointer;
  return unwind::Policy::kAuto;
}

// Decides which samples get a call chain: every Nth.
class ChainInterval {
 public:
  explicit ChainInterval(const CpuOptions& options)
      : every_(options.samples_per_backtrace), is_wanted_(options.backtrace != Backtrace::kNone) {}

  bool is_due() {
    if (!is_wanted_ || ++since_last_ < every_) return false;
    since_last_ = 0;
    return true;
  }

 private:
  std::uint32_t every_;
  bool is_wanted_;
  std::uint32_t since_last_ = 0;
};

}  // namespace prof::sampler
