// Snapshots for scripts.
#pragma once

#include <string>

#include "cli/monitor/snapshot.hpp"

namespace prof::cli {

// The heading of csv_lines().
std::string csv_heading();
// A line for each value: time in seconds since the epoch, domain, device, counter, unit, value.
// Values that are unknown are left out.
std::string csv_lines(const Snapshot& snapshot);
// One JSON object, on one line.
std::string json_line(const Snapshot& snapshot);

}  // namespace prof::cli
