// Reports of a job in a folder, in place of their names.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

struct FoundReports {
  std::vector<std::string> paths;
  bool has_left_out = false;  // a file in a folder cannot be read; it was named on stderr
  bool has_folder = false;
};

// Replaces each folder among the names, unless it is short for a report (find_report_file()), by
// the reports in it and in its folders: files that end in .db or .sqlite, by rank, then by name.
// Files that are no reports, or that are damaged, are left out and named on stderr, and so are
// recordings that have not ended. Throws Failure if a folder has no report.
FoundReports find_reports(const std::vector<std::string>& names);

}  // namespace prof::cli
