// From a report to statistics: what prof stats and prof profile --stats share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/stats/table_format.hpp"
#include "exporters/stats/time_unit.hpp"

namespace prof::cli {

struct StatsRequest {
  std::string report;
  std::vector<std::string> names =
      {};  // with arguments after colons; empty: those of default_reports()
  std::vector<std::string> folders = {};          // of reports of the user's
  std::optional<stats::TableFormat> format = {};  // none: column for stdout, else csv
  stats::TimeUnit time_unit = stats::TimeUnit::kNanoseconds;
  std::string filter_time = {};  // as on the command line
  std::string filter_nvtx = {};
  std::string output = "-";  // "-": stdout; "@COMMAND": its stdin; else the base of the file names
  bool overwrite = false;
  bool quiet = false;  // say nothing but errors
};

void print_stats(const StatsRequest& request);

// --help-reports: of all reports, or of the one of that name.
void print_stats_help(const std::string& name, const std::vector<std::string>& folders);

}  // namespace prof::cli
