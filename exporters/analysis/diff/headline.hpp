// Summarizes what changed between two reports.
#pragma once

#include <string>
#include <vector>

#include "exporters/analysis/diff/comparison.hpp"

namespace prof::diff {

// Returns one line for the duration, one for the GPUs, one for the CPU time, and one for each
// category with the names that changed most. GPU categories come first, because the CPU mostly
// waits for the GPU. Categories with small changes have no line. Waits of idle threads come last.
// The names are marked (common/base/text/marked_name.hpp).
std::vector<std::string> headline(const Comparison& comparison);

}  // namespace prof::diff
