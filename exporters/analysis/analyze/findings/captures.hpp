// Says where the work of findings was captured, if it is in CUDA graphs.
#pragma once

#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// Adds to the evidence of each finding whose worst case is an operation of a CUDA graph the NVTX
// ranges and the line in which the operation was captured.
base::Status add_captures(const report::ReportReader& reader, const Facts& facts,
                          std::vector<Finding>& findings);

}  // namespace prof::analyze
