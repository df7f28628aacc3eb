// Selects the kernels that were launched, or captured in a CUDA graph, inside of an NVTX range.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::arrow {

// Returns the SQL condition for rows of the kernel table whose launching call began inside of a
// range with this name, on the range's thread. For kernels of graphs the capture of their node
// counts, too, or alone, as `range_of` says. For the form of `range` see
// events::find_nvtx_ranges(). The function creates temporary tables of the reader.
base::Result<std::string> launched_inside(const report::ReportReader& reader,
                                          const std::string& range, events::RangeOf range_of);

}  // namespace prof::arrow
