// The rows of a report that show the worst case of a finding.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

struct WorstRows {
  std::vector<EvidenceRows> rows;
  std::string sql;  // gives the length of the worst case in ns; empty: there is no such query
  std::vector<std::string> spans = {};  // queries that may give it
};

// Returns the longest rows of the place in its time: operations of the GPU, the region of OpenMP or
// the call of MPI that takes all of it, and calls, samples or switches of the thread. Of an idle
// time these are also the operations before and after it.
base::Result<WorstRows> worst_rows(const report::ReportReader& reader, const Where& where);

}  // namespace prof::analyze
