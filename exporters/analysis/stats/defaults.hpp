// Lists the statistics that are printed if none is named, in their order.
#pragma once

#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

// Returns the defaults for files and programs: nsys's defaults first, in its order, then prof's
// own. They are all statistics that sum up events, except those that only group the rows of another
// one differently.
std::vector<const Statistic*> defaults_for_files();

// Returns the same statistics for a person at a terminal: those that answer most questions come
// first.
std::vector<const Statistic*> defaults_for_terminal();

// Returns the other statistics for which the file has tables: traces, and other groupings.
std::vector<std::string> further_reports(const report::ReportReader& reader);

}  // namespace prof::stats
