// Snapshots of prof monitor for scripts.
#pragma once

#include <string>

#include "cli/monitor/gpu_readings.hpp"

namespace prof::cli {

// The heading of csv_lines().
std::string csv_heading();
// Returns a line for each value: time in seconds since the epoch, domain, device, counter, unit,
// value. Unknown values are left out.
std::string csv_lines(const GpuReadings& snapshot);
// Returns one JSON object on one line.
std::string json_line(const GpuReadings& snapshot);

}  // namespace prof::cli
