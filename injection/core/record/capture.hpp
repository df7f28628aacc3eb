// Capture ranges: recording only between two events of the program (cudaProfilerStart and Stop, an
// NVTX range). The state lies in the arena, so that all processes of the session switch together.
#pragma once

#include <cstdint>

#include "injection/core/process_state.hpp"

namespace prof::core {

// Is there a capture range and are we outside of it? Then events are not recorded; what later ones
// refer to (threads, strings, domains, CUDA contexts) is.
inline bool paused() {
  return has_feature(wire::kFeatureCaptureRange) &&
         g_process.arena->capture.load(std::memory_order_relaxed) != wire::kCapturing;
}

// The program entered or left the range. Both first fetch what CUPTI still holds: records from
// before the range are dropped, those of the range are kept.
void begin_capture();
void end_capture();

}  // namespace prof::core
