// Opens and closes the reports that verbs read, and warns about what is wrong with them.
#pragma once

#include <string>

#include "common/report/report_reader.hpp"

namespace prof::cli {

// Returns the file that the user means by a name: the name itself, or the name with .db or .sqlite
// if only that exists. Scripts for nsys pass X.nsys-rep. If there is no such file, X.db or X.sqlite
// is taken; if X.nsys-rep is a report of nsys, X.sqlite, since nsys itself reads the export beside
// its report. Returns `name` if no file exists.
std::string find_report_file(const std::string& name);

// True if find_report_file() finds a report, judged by its name or its first bytes. For a word in
// place of a verb.
bool looks_like_report(const std::string& name);

// Opens a report. Unless `quiet`, warns if the schema of the report is newer than this prof, and
// names recordings beside it that a killed prof left.
report::ReportReader open_report(const std::string& path, bool quiet);

// Opens a report quietly, and makes the views with names (exporters/analysis/query).
report::ReportReader open_report_with_views(const std::string& path);

// Prints remarks, and the numbers of events that were ignored because they are implausible. Call it
// after the last read.
void print_remarks(const report::ReportReader& reader);
// Does the same, and throws Failure if what was read is not reliable.
void close_report(const report::ReportReader& reader);

}  // namespace prof::cli
