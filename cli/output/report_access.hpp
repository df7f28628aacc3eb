// Opens and closes the reports that verbs read, and warns about what is wrong with them.
#pragma once

#include <string>

#include "common/report/report_reader.hpp"

namespace prof::cli {

// The file that a user means by a name: the name itself, or with .db or .sqlite if only that
// exists. Scripts for nsys pass X.nsys-rep: X.db or X.sqlite if there is no such file, X.sqlite if
// it is nsys's own, as nsys reads the export beside its report. If there is nothing, the name.
std::string find_report_file(const std::string& name);

// Whether that file is a report by its name or its first bytes; for a word in place of a verb.
bool looks_like_report(const std::string& name);

// Unless `quiet`, warns if the schema of the report is newer than this prof, and names recordings
// beside it that a killed prof left.
report::ReportReader open_report(const std::string& path, bool quiet);

// Call after the last read. Reports remarks and events that were ignored because they are
// implausible. Throws Failure if what was read is not reliable.
void close_report(const report::ReportReader& reader);

}  // namespace prof::cli
