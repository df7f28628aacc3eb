// Whether events are recorded now. The state lies in the arena, so all processes of the session
// switch together.
//
// Capture ranges: prof records only between two events of the program (cudaProfilerStart and
// cudaProfilerStop, or an NVTX range).
//
// Dormancy: nobody collects, wrappers only call the real functions, and NVTX callbacks return at
// once. The collector begins and ends it. Calls and ranges in progress at its begin or end are not
// recorded.
#pragma once

#include <cstdint>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/gate.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/quiet_call.hpp"

namespace prof::core {

// True while nobody collects. Wrappers ask this before anything else, even before reading the
// clock. It takes three instructions.
[[gnu::always_inline]] inline bool is_dormant() {
  return machine::is_set(*prof_range_gate.load(std::memory_order_relaxed));
}

// True if the session has capture ranges and is outside of one. Then events are not recorded.
// Definitions that later events can refer to are still recorded: threads, strings, domains, CUDA
// contexts.
inline bool paused() {
  return has_feature(wire::kFeatureCaptureRange) &&
         g_process.arena->capture.load(std::memory_order_relaxed) != wire::kCapturing;
}
// Like paused(), but also true on a foreign thread.
bool is_paused_or_foreign();
[[gnu::always_inline]] inline bool paused_here() {
  return has_feature(wire::kFeatureCaptureRange | kForeignThreads) &&
         call_quietly(is_paused_or_foreign);
}

// The program entered or left the range. Both functions first fetch the records that CUPTI still
// holds: records from before the range are dropped, those of the range are kept. `trigger` is
// kCudaTrigger, kNvtxTrigger or kFrameTrigger.
void begin_capture(std::uint32_t trigger);
void end_capture();

// A graphics program begins to draw, or a call has shown a frame. With --start-frame-index and
// --duration-frames the frames of a process begin and end a capture range.
void begin_frames();
void end_frame();

// True if the trigger begins capture ranges now.
bool is_armed(std::uint32_t trigger);

}  // namespace prof::core
