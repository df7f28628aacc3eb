// Whether events are recorded now. The state lies in the arena, so all processes of the session
// switch together.
//
// Capture ranges: prof records only between two events of the program (cudaProfilerStart and
// cudaProfilerStop, or an NVTX range).
//
// Dormancy: nobody collects, and calls and ranges leave at once. It begins and ends in the
// collector. What is in progress then is not recorded.
#pragma once

#include <cstdint>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/gate.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/quiet_call.hpp"

namespace prof::core {

// Asked before anything else, the clock included. Three instructions.
[[gnu::always_inline]] inline bool is_dormant() {
  return machine::is_set(*prof_range_gate.load(std::memory_order_relaxed));
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
