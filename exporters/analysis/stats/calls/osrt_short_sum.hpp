// Sums up OS-runtime calls that were too short for rows in OSRT_API, which prof counts by thread
// and function.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

// Returns "19,935 shorter calls (below 1.00 us) took 31.2 ms more: prof stats -r osrt_short_sum",
// or an empty text if the report has no such calls.
base::Result<std::string> short_calls_note(const report::ReportReader& reader);

}  // namespace prof::stats
