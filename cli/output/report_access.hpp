// Opens and closes the reports that verbs read, and warns about what is wrong with them.
#pragma once

#include <string>

#include "collector/report/report_reader.hpp"

namespace prof::cli {

// Unless `quiet`, warns if the schema of the report is newer than this prof, and names recordings
// beside it that a killed prof left.
report::ReportReader open_report(const std::string& path, bool quiet);

// Call after the last read. Reports remarks and events that were ignored because they are implausible. Throws
// Failure if what was read is not reliable.
void close_report(const report::ReportReader& reader);

}  // namespace prof::cli
