// Prints statistics of a report, for prof stats and prof profile --stats.
#pragma once

#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "cli/output/options/view_options.hpp"

namespace prof::cli {

struct StatsRequest {
  std::string report;
  // With arguments after colons; empty: all that have data, but for traces and other groupings.
  std::vector<std::string> names = {};
  std::vector<std::string> folders = {};  // with statistics of the user
  TableOptions tables = {};
  ViewOptions view = {};
  bool lines = false;  // source lines of native code
};

void print_stats(const StatsRequest& request);

// --help-reports: explains all statistics, or the one with that name.
void print_stats_help(const std::string& name, const std::vector<std::string>& folders);

}  // namespace prof::cli
