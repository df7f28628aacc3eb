// What a throughput is made of. CUPTI's host interface does not say it, the library below it does.
#pragma once

#include <string>
#include <vector>

#include "collector/metrics/kernels/host_library.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

// Returns the base names of the counters and throughputs of which a throughput is the maximum, down
// to those that have no inputs, as Nsight Compute lists them. `name`: without a suffix. Fails if
// the chip does not have it, or if it is not a throughput.
base::Result<std::vector<std::string>> throughput_inputs(const HostLibrary& cupti,
                                                         const std::string& chip,
                                                         const std::string& name);

}  // namespace prof::metrics
