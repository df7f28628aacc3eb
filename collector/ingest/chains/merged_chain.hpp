// One call chain of what native code and Python's frames tell of the same moment.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collector/report/rows.hpp"

namespace prof::ingest {

struct PythonChainFrame {
  report::StackFrame frame;
  bool below_native = false;  // native code lies between it and the frame before
};

// All innermost first. Both may end with marks (StackFrame::kSpecialEntry) that say why they do not
// go on. A run of Python frames without native code between them takes the place of the frame of
// the interpreter that evaluated it, from 3.11 on one for several. Where there are not as many of
// these as of those, all Python frames take the place of the innermost one, and the others are left
// out; where there is none, Python's come first.
std::vector<report::StackFrame> merge_chains(
    std::span<const report::StackFrame> native, std::span<const PythonChainFrame> python,
    const std::function<bool(const report::StackFrame&)>& is_interpreter);

}  // namespace prof::ingest
