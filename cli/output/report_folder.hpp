// Reports of a job in a folder, in place of their names.
#pragma once

#include <string>
#include <vector>

#include "exporters/ranks/job_plan.hpp"

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

// True if the names stand for the reports of a job: several reports, or a folder that is not short
// for a report.
bool is_job(const std::vector<std::string>& names);

// The name that stands for all reports of a job in messages and in names of files.
std::string name_of_job(const std::vector<std::string>& names);

// The files in a folder and its folders that can be reports, by name. None of them is opened.
struct FolderFiles {
  std::vector<std::string> reports;
  std::vector<std::string> recordings;  // that have not ended
};
FolderFiles files_of_folder(const std::string& folder);

// True for a folder that is not short for a report.
bool is_report_folder(const std::string& name);

struct JobReports {
  std::vector<ranks::PlannedReport> reports;  // not empty
  bool has_left_out = false;
  std::vector<std::string> remarks = {};  // ranks without a report, several jobs
};

// Finds the reports of a job, and the ranks of each. Names on stderr which reports and ranks are
// left out, and unless `quiet` also ranks without a report. Throws Failure if no report is left: if
// the names are of one report, with the reason.
JobReports find_job_reports(const std::vector<std::string>& names, bool quiet);

}  // namespace prof::cli
