// The process that samples GPUs. Only this process loads the driver and CUPTI, so neither prof nor
// the program pays for them. It does not make a CUDA context.
#pragma once

#include <string>
#include <vector>

namespace prof::metrics {

// The first argument of the prof process that samples GPUs. No verb has this name.
inline constexpr const char* kGpuProcessWord = "sample-gpus";

// Runs the process. `arguments`: those of sampling_arguments(). Returns the exit status.
int run_gpu_process(const std::vector<std::string>& arguments);

// Returns the text of --gpu-metrics-devices=help. `locations`: as in SamplingRequest.
std::string describe_gpus(const std::string& cupti_path, std::vector<std::string> locations);

}  // namespace prof::metrics
