// Merges the native call chain and the Python call chain of a moment.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "common/report/rows.hpp"

namespace prof::ingest {

struct PythonChainFrame {
  report::StackFrame frame;
  bool below_native = false;  // native code is between it and the frame before
};

// All chains have the innermost frame first. Both inputs can end with frames that say why the chain
// ends there (StackFrame::is_special).
//
// The interpreter's evaluation loop is a native frame. The Python frames that it evaluates, those
// without native code in between, replace it. From Python 3.11 on one frame evaluates several. If
// the numbers do not match, all Python frames replace the innermost frame of the loop, and its
// other frames are left out. If there is no such frame, the Python frames come first.
std::vector<report::StackFrame> merge_chains(
    std::span<const report::StackFrame> native, std::span<const PythonChainFrame> python,
    const std::function<bool(const report::StackFrame&)>& is_interpreter);

}  // namespace prof::ingest
