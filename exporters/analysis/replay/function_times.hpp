// When threads execute functions, by samples.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/replay/range_times.hpp"

namespace prof::replay {

// Reads when threads are in functions with these names, or in what these call. Each sample stands
// for the time until half way to its neighbours, as far as they are not much farther than usual.
// Of functions with one name those of Python count.
base::Result<RangesByName> read_function_times(const report::ReportReader& reader,
                                               const std::vector<std::string>& names);

}  // namespace prof::replay
