// The evidence of findings: rows of the report's tables, and SQL that gives their numbers.
#pragma once

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// Gives each finding the rows that show its worst case, and queries for its numbers. A query is
// kept only if it gives the number when it runs. Reads the tables, whatever the views show. Takes
// time for each finding, since the tables have no indexes.
base::Status add_evidence(const report::ReportReader& reader, Diagnosis& diagnosis);

}  // namespace prof::analyze
