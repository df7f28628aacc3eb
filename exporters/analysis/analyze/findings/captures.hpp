// Says where the work of findings was captured and launched, if it is in CUDA graphs.
#pragma once

#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::analyze {

// Adds to the evidence of each finding whose worst case is an operation of a CUDA graph, or an idle
// time before one, the NVTX ranges and the line in which the operation was captured, and the ranges
// around the launch.
base::Status add_captures(const report::ReportReader& reader, const Facts& facts,
                          events::RangeOf range_of, std::vector<Finding>& findings);

}  // namespace prof::analyze
