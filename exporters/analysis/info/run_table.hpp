// The reports of a job, a line each: which ranks, where, when, and what was lost.
#pragma once

#include <string>
#include <vector>

#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::info {

// Returns a row for each report. Starts are relative to the earliest report, by the clock that the
// reports share, otherwise by the wall clock.
tables::Table run_table(const std::vector<ReportInfo>& reports);

// Returns what the rows together say, a line each: ranks without a report, ranks with several,
// several jobs, and how well the starts can be compared.
std::vector<std::string> run_remarks(const std::vector<ReportInfo>& reports);

}  // namespace prof::info
