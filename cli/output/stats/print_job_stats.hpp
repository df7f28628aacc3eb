// Prints statistics of the ranks of a job, merged, for prof stats RUN/.
#pragma once

#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "cli/output/options/view_options.hpp"
#include "exporters/ranks/run_sums.hpp"

namespace prof::cli {

struct JobStatsRequest {
  std::vector<std::string> reports;     // and folders of reports
  std::vector<std::string> names = {};  // of statistics, as in StatsRequest
  TableOptions tables = {};
  ViewOptions view = {};
  ranks::By by = ranks::By::kRun;
  bool exact = false;      // also the medians of very different values
  std::string align = {};  // what the window of time counts on, as in --align; empty: the best
};

// Returns false if a report, or a rank of one, was left out. It was named on stderr.
bool print_job_stats(const JobStatsRequest& request);

}  // namespace prof::cli
