// SQL that gives the numbers of a finding. It has numbers, never names of the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// Adds the query if it gives its number, and if there is none for this number yet.
void add_query(const report::ReportReader& reader, NumberQuery query,
               std::vector<NumberQuery>& queries);

// Returns candidates for the time at stake: the time of the finding's kernels, or of its copies.
// `window` is the analyzed time, if that is not the whole report.
std::vector<std::string> queries_of_time(const report::ReportReader& reader, const Finding& finding,
                                         const std::optional<insight::Interval>& window);

// Returns candidates for the time in the calls that a finding is about.
std::vector<std::string> queries_of_calls(const report::ReportReader& reader,
                                          const Finding& finding);

}  // namespace prof::analyze
