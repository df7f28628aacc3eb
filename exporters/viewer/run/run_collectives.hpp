// Matches the collective operations of a job, and makes what its page shows of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/viewer/run/run_state.hpp"

namespace prof::view {

// Returns null if no report has a collective operation. Adds a line to `faults` for each report
// that cannot be read.
base::Result<std::shared_ptr<const RunCollectives>> read_run_collectives(
    const RunRanks& ranks, events::RangeOf range_of, std::vector<std::string>& faults);

}  // namespace prof::view
