// The process that samples GPUs. It alone has the driver and CUPTI, so neither prof nor the program
// pays for them. It does not make a CUDA context.
#pragma once

#include <string>
#include <vector>

namespace prof::metrics {

// The first argument of a prof that is to be the helper. No verb has this name.
inline constexpr const char* kHelperWord = "gpu-metrics-helper";

// What follows it: arguments of helper_arguments(). Returns the exit status.
int run_helper(const std::vector<std::string>& arguments);

// What --gpu-metrics-devices=help prints. `locations`: as in HelperRequest.
std::string describe_gpus(const std::string& cupti_path, std::vector<std::string> locations);

}  // namespace prof::metrics
