// Selects the tables of a report that an export has.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::formats {

// Returns the tables of the report whose whole name matches one of the patterns, in the order of
// the patterns. The patterns are basic regular expressions that ignore case. Fails if a pattern
// matches no table. Without patterns all tables are returned.
base::Result<std::vector<std::string>> select_tables(const report::ReportReader& reader,
                                                     const std::vector<std::string>& patterns);

// Returns the tables with events that are not selected.
std::set<std::string> other_events(const report::ReportReader& reader,
                                   const std::vector<std::string>& selected);

}  // namespace prof::formats
