// Texts about what running processes are doing, for people and for scripts.
#pragma once

#include <string>
#include <vector>

#include "collector/live/gpu_load.hpp"
#include "collector/live/snapshot.hpp"

namespace prof::cli {

// Returns the text for people: first the reasons why the processes wait, then the call chains.
// `shows_all`: folds no frames.
std::string stack_text(const std::vector<live::ProcessState>& processes, const live::GpuLoads& gpus,
                       bool shows_all);
// Returns the text for scripts: one JSON object.
std::string stack_json(const std::vector<live::ProcessState>& processes,
                       const live::GpuLoads& gpus);

}  // namespace prof::cli
