// What running processes are doing, for people and for scripts.
#pragma once

#include <string>
#include <vector>

#include "collector/live/gpu_load.hpp"
#include "collector/live/snapshot.hpp"

namespace prof::cli {

// First why nothing goes on, then the call chains.
std::string stack_text(const std::vector<live::ProcessState>& processes,
                       const live::GpuLoads& gpus);
// One JSON object.
std::string stack_json(const std::vector<live::ProcessState>& processes,
                       const live::GpuLoads& gpus);

}  // namespace prof::cli
