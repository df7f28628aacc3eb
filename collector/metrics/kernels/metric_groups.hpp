// Groups of metrics with Nsight Compute's names, for --metrics=group:NAME.
#pragma once

#include <string>
#include <vector>

#include "collector/metrics/kernels/pass_plan.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

// Returns the metrics of the group that the chip has. Fails if there is no such group, or if the
// chip has none of its metrics. `metrics`: the base metrics of the chip.
base::Result<std::vector<std::string>> group_metrics(const std::string& group,
                                                     const std::vector<MetricFacts>& metrics);

}  // namespace prof::metrics
