// Merges the native call chain and the Python call chain of the same moment.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "common/report/rows.hpp"

namespace prof::ingest {

struct PythonChainFrame {
  report::StackFrame frame;
  bool below_native = false;  // native code is between this frame and the one before
};

// All chains have the innermost frame first. Both inputs can end with frames that say why the chain
// ends there (StackFrame::is_special).
//
// The interpreter's evaluation loop is a native frame. It is replaced by the Python frames that it
// evaluates: those without native code in between. From Python 3.11 on one native frame evaluates
// several Python frames. If the numbers do not match, all Python frames replace the innermost frame
// of the loop, and the other frames of the loop are left out. If the native chain has no frame of
// the loop, the Python frames come first.
std::vector<report::StackFrame> merge_chains(
    std::span<const report::StackFrame> native, std::span<const PythonChainFrame> python,
    const std::function<bool(const report::StackFrame&)>& is_interpreter);

}  // namespace prof::ingest
