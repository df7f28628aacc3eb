// Says whether this process records NVTX events. Used when an NVTX client starts.
#pragma once

#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"

namespace prof::nvtx {

// True if the process has joined, or is a fork child that can still join.
inline bool traced() {
  const std::uint32_t word = core::live_word();
  return core::g_process.arena != nullptr && word != core::kOff && word != core::kUntilExec &&
         core::has_feature(wire::kFeatureNvtx);
}

}  // namespace prof::nvtx
