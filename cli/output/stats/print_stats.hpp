// Prints statistics of a report, for prof stats and prof profile --stats.
#pragma once

#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "cli/output/options/view_options.hpp"

namespace prof::cli {

struct StatsRequest {
  std::string report;
  // Names of statistics, with arguments after colons. Empty: all statistics that have data, except
  // for traces and alternative groupings.
  std::vector<std::string> names = {};
  std::vector<std::string> folders = {};  // with the user's queries
  TableOptions tables = {};
  ViewOptions view = {};
  bool lines = false;  // show source lines of native code
};

void print_stats(const StatsRequest& request);

// Sets malloc to large steps. Statistics keep durations and rows of millions of events. By default
// malloc asks the kernel for each 128 KiB, and returns memory that the next statistic needs again.
void allocate_in_large_steps();

// Explains all statistics, or the statistic `name` (--help-reports).
void print_stats_help(const std::string& name, const std::vector<std::string>& folders);

}  // namespace prof::cli
