// From a report to statistics: what prof stats and prof profile --stats share.
#pragma once

#include <string>
#include <vector>

#include "cli/options/table_options.hpp"

namespace prof::cli {

struct StatsRequest {
  std::string report;
  // With arguments after colons; empty: those of default_reports().
  std::vector<std::string> names = {};
  std::vector<std::string> folders = {};  // of reports of the user's
  TableOptions tables = {};
  bool lines = false;  // of native code, where reports show it
};

void print_stats(const StatsRequest& request);

// --help-reports: of all reports, or of the one of that name.
void print_stats_help(const std::string& name, const std::vector<std::string>& folders);

}  // namespace prof::cli
