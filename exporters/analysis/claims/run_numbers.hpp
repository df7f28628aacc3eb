// Numbers of a whole run that claims are about: its iterations, and the memory of GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::claims {

// Returns the lengths in ns of the iterations of the device that has the most. Empty: the report
// has none.
base::Result<std::vector<std::int64_t>> iteration_lengths(const report::ReportReader& report);

// Returns "mean", "median", "min" or "max" of the lengths. Empty: there are none.
std::optional<double> iteration_number(std::vector<std::int64_t> lengths,
                                       const std::string& number);

// Returns the most bytes that a process had in use on a GPU: by calls of CUDA, or if these were not
// recorded, what PyTorch's allocator had reserved. Empty: neither was recorded.
base::Result<std::optional<double>> gpu_memory_peak(const report::ReportReader& reader);

}  // namespace prof::claims
