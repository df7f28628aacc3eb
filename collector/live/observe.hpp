// Looks at processes: stops their threads for a moment, one after the other, and reports what each
// was doing.
#pragma once

#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

std::vector<ProcessState> observe(const std::vector<Process>& processes);

}  // namespace prof::live
