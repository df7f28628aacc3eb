// The steps that several verbs share: from a recording to a report, from a report to statistics.
#pragma once

#include <string>
#include <vector>

#include "exporters/stats/table_format.hpp"

namespace prof::cli {

// Makes `output` out of the recording, or a report of each of its capture ranges, and deletes the
// recording. Returns what was written. If a report cannot be written the recording stays and the
// Failure says how to go on.
std::vector<std::string> write_reports(const std::string& spool_path, const std::string& output,
                                       bool overwrite);

struct StatsRequest {
  std::string report;
  std::vector<std::string> names =
      {};  // with arguments after colons; empty: those of default_reports()
  stats::TableFormat format = stats::TableFormat::kColumn;
  std::string output = "-";  // "-": stdout; else the base of the file names
  bool overwrite = false;
  bool quiet = false;  // say nothing but errors
};

void print_stats(const StatsRequest& request);

// Puts one finished table where the request wants it: stdout, or a file of that name.
void put(const StatsRequest& request, const std::string& name, const std::string& text);

}  // namespace prof::cli
