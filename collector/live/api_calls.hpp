// Library calls that describe what a thread is doing better than its innermost function.
#pragma once

#include <string>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

// Returns the outermost call of CUDA, its libraries, NCCL, NVSHMEM or MPI, or an empty string.
std::string find_api_call(const std::vector<Frame>& frames);

}  // namespace prof::live
