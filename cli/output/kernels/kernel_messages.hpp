// What prof kernel says when the program has ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prof::cli {

// Prints how many launches were profiled, and why others were not. Returns their number.
std::int64_t print_kernel_summary(const std::string& report);

struct UnknownMetrics {
  std::string chip;
  std::vector<std::string> names;
};

// Returns which of the names are full names of metrics that the report's chip does not have. There
// are none if the report does not say which metrics it has.
UnknownMetrics unknown_metrics(const std::string& report, const std::vector<std::string>& names);

}  // namespace prof::cli
