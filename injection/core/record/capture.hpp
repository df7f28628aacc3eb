// Whether events are recorded now. The state lies in the arena, so all processes of the session
// switch together.
//
// Capture ranges: prof records only between two events of the program (cudaProfilerStart and
// cudaProfilerStop, or an NVTX range).
//
// Dormancy: nobody collects, and calls and ranges leave at once. It begins and ends in the
// collector. What is in progress then is not recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/quiet_call.hpp"

namespace prof::core {

// Asked before anything else, the clock included. Costs two instructions in a session that records
// all the time. The compiler would keep the address of g_process in a register that it has to save
// first, and a dormant call would pay for saving it: hence the assembler.
[[gnu::always_inline]] inline bool is_dormant() {
  bool may_be;
  asm("testl %1, %c2+_ZN4prof4core9g_processE(%%rip)"
      : "=@ccnz"(may_be)
      : "i"(wire::kFeatureDormancy), "i"(offsetof(ProcessState, features)));
  if (!may_be) [[likely]]
    return false;
  const wire::ArenaHeader* arena;
  asm("mov %c1+_ZN4prof4core9g_processE(%%rip), %0"
      : "=r"(arena)
      : "i"(offsetof(ProcessState, arena)));
  bool is;  // one instruction less than a load and a test
  asm volatile("cmpl $0, %1" : "=@ccnz"(is) : "m"(arena->dormant));
  return is;
}

// Does the session have capture ranges, and is it outside of one? Then events are not recorded.
// What later events can refer to is still recorded: threads, strings, domains, CUDA contexts.
inline bool paused() {
  return has_feature(wire::kFeatureCaptureRange) &&
         g_process.arena->capture.load(std::memory_order_relaxed) != wire::kCapturing;
}
// Also true on a foreign thread.
bool is_paused_or_foreign();
[[gnu::always_inline]] inline bool paused_here() {
  return has_feature(wire::kFeatureCaptureRange | kForeignThreads) &&
         call_quietly(is_paused_or_foreign);
}

// The program entered or left the range. Both first fetch what CUPTI still holds: records from
// before the range are dropped, those of the range are kept. `trigger`: kCudaTrigger or
// kNvtxTrigger.
void begin_capture(std::uint32_t trigger);
void end_capture();

// Does the trigger begin capture ranges now?
bool is_armed(std::uint32_t trigger);

}  // namespace prof::core
