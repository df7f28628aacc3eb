// What a rank spends its own time with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exporters/analysis/insight/intervals.hpp"

namespace prof::ranks {

enum class Cause : std::uint8_t {
  kSleep,
  kDataLoading,
  kLock,        // waits for a thread that launches nothing itself
  kNetwork,     // calls that use sockets, and slow transfers (slow_transfers.hpp)
  kSystemCall,  // other calls of the OS runtime
  kLaunch,
  kCudaCall,  // other CUDA calls that do not wait for the GPU
  kNoCpu,     // the thread could run, but other threads have the CPUs
  kGarbage,   // Python's garbage collector
  kPageFaults,
  kCode,  // the rest of the time of the CPU
  kKernels,
  kCopies,
};
inline constexpr std::size_t kCauses = 13;
const char* name_of(Cause cause);  // "data loading"
// True for work of the GPU.
constexpr bool is_of_gpu(Cause cause) { return cause >= Cause::kKernels; }
// True for time in which the thread executes code, of which samples say where it is.
constexpr bool is_of_code(Cause cause) {
  return cause == Cause::kCode || cause == Cause::kPageFaults || cause == Cause::kGarbage;
}

// A part of a thread's time.
struct HostPiece {
  static constexpr std::int64_t kNoName = -1;
  std::int64_t global_tid;
  insight::Interval time;
  Cause cause;
  std::int64_t name;  // of the function (StringIds.id), or kNoName
};

}  // namespace prof::ranks
