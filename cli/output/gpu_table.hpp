// GPUs and their topology, for the terminal.
#pragma once

#include <string>

#include "collector/metrics/topology/gpu_topology.hpp"

namespace prof::cli {

std::string gpu_table(const metrics::GpuTopology& topology, const metrics::SystemRoot& root = {});

}  // namespace prof::cli
