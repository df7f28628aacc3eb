// Reads what the reports of a job say of its collective operations, on several threads.
#pragma once

#include <string>
#include <vector>

#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::ranks {

struct PartOptions {
  PartDetails details = PartDetails::kCalls;
  unsigned threads = 0;     // 0: one for each CPU
  FilterOf filter_of = {};  // null: all events count
};

// Returns the parts in the order of the reports. Adds a line to `left_out` for each report that
// cannot be read; it has no part.
std::vector<ReportPart> read_parts(const std::vector<PlannedReport>& reports,
                                   const PartOptions& options, std::vector<std::string>& left_out);

}  // namespace prof::ranks
