// Makes the partial result of one report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/arguments.hpp"
#include "exporters/analysis/stats/value_groups.hpp"
#include "exporters/ranks/partial.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// A statistic to merge, with its arguments.
struct Request {
  std::string name;  // with the arguments: "nvtx_sum:merge"
  const stats::MergeableSum* sum;
  stats::Arguments arguments = {};
};

// Parses NAME or NAME:ARGUMENT:…, or "recipe:NAME" (stats::recipe_sums()). Fails if there is no
// such statistic, or if it cannot be merged.
base::Result<Request> request_of(std::string_view words);

// The statistics of a partial result for which nothing else is asked.
std::vector<Request> usual_requests();
// The usual ones, and those that recipes read.
std::vector<Request> requests_of_files();

// Reads the events of `ranks`, as ranks_of() returned them. `filter` selects among the events.
base::Result<Partial> map_report(const report::ReportReader& reader,
                                 const std::vector<ReportRank>& ranks,
                                 const std::vector<Request>& requests,
                                 const report::EventFilter& filter = {}, const Limits& limits = {});

}  // namespace prof::ranks
