// Which tables of a report an export has.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::formats {

// The tables of the report whose whole name matches one of the patterns: basic regular expressions,
// in which upper and lower case are the same. In the order of the patterns. Fails if a pattern
// matches none. Without patterns: all tables.
base::Result<std::vector<std::string>> select_tables(const report::ReportReader& reader,
                                                     const std::vector<std::string>& patterns);

// The tables with events that are not selected.
std::set<std::string> other_events(const report::ReportReader& reader,
                                   const std::vector<std::string>& selected);

}  // namespace prof::formats
