// What is recorded of the CPUs.
#pragma once

#include <cstdint>

#include "collector/unwind/unwinder.hpp"

namespace prof::sampler {

enum class Scope : std::uint8_t { kNone, kProcessTree, kSystem };

enum class Backtrace : std::uint8_t {
  kAuto,          // call frame information, frame pointers where there is none
  kDwarf,         // call frame information alone
  kFramePointer,  // frame pointers, followed by the kernel
  kNone,
};

// Who takes the samples.
enum class SamplingMethod : std::uint8_t {
  kAuto,   // the kernel if it may, else timers where that is possible
  kPerf,   // the kernel alone
  kTimer,  // the target's processes themselves
};

struct CpuOptions {
  Scope samples = Scope::kNone;
  Scope switches = Scope::kNone;
  SamplingMethod method = SamplingMethod::kAuto;
  Backtrace backtrace = Backtrace::kAuto;
  std::uint32_t frequency = 1000;  // samples a second of a thread that runs
  std::uint64_t period = 0;        // instead: events between two samples
  std::uint32_t samples_per_backtrace = 1;
  std::uint32_t stack_bytes = 24 * 1024;  // that are copied with a sample

  std::uint32_t copied_stack_bytes() const {
    return backtrace == Backtrace::kNone ? 0 : stack_bytes;
  }
  bool is_any() const { return samples != Scope::kNone || switches != Scope::kNone; }
};

// How the unwinder goes about it.
inline unwind::Policy policy_of(Backtrace backtrace) {
  if (backtrace == Backtrace::kDwarf) return unwind::Policy::kFrameInfo;
  if (backtrace == Backtrace::kFramePointer) return unwind::Policy::kFramePointer;
  return unwind::Policy::kAuto;
}

// Which samples get a call chain: each Nth.
class ChainInterval {
 public:
  explicit ChainInterval(const CpuOptions& options)
      : every_(options.samples_per_backtrace), is_wanted_(options.backtrace != Backtrace::kNone) {}

  bool next() {
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
