// The tables of PC samples that were added over the reports of a job.
#pragma once

#include <vector>

#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

// The same as table_of(), for layouts of PC samples. The columns are those of the statistic of one
// report, but pc_sampling_functions has no number of kernels.
tables::Table stall_table(const SumLayout& layout, std::vector<GroupSummary> groups,
                          const std::vector<tables::ColumnSpec>& more);

}  // namespace prof::stats
