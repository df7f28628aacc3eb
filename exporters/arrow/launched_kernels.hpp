// Selects the kernels that were launched inside of an NVTX range.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::arrow {

// Returns the SQL condition for rows of the kernel table whose launching call began inside of a
// range with this name, on the range's thread. For the form of `range` see
// events::find_nvtx_ranges(). The function creates a temporary table of the reader.
base::Result<std::string> launched_inside(const report::ReportReader& reader,
                                          const std::string& range);

}  // namespace prof::arrow
