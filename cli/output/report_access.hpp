// Opens and closes the reports that verbs read, and tells the user what to know about them.
#pragma once

#include <string>

#include "collector/report/report_reader.hpp"

namespace prof::cli {

// Unless `quiet`, says so if the report is of a schema that is not known yet.
report::ReportReader open_report(const std::string& path, bool quiet);

// After all was read: names events that were left out because they make no sense. Throws Failure if
// what was read cannot be relied upon.
void close_report(const report::ReportReader& reader);

}  // namespace prof::cli
