// Which statistics are printed when none is named, and in which order.
#pragma once

#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

// For files and programs: nsys's defaults first, in its order, then prof's own. They are all that
// sum up events; those that only group the rows of another one differently are not among them.
std::vector<const StatsReport*> defaults_for_files();

// The same statistics for a person at a terminal: those that answer most questions come first.
std::vector<const StatsReport*> defaults_for_terminal();

// The other statistics for whose tables the file has data: traces, and other groupings.
std::vector<std::string> further_reports(const report::ReportReader& reader);

}  // namespace prof::stats
