// Exports a report, for prof export and prof profile --export.
#pragma once

#include <string>
#include <vector>

#include "cli/export/export_options.hpp"

namespace prof::cli {

// The names of all types.
std::vector<std::string> export_type_names();

// Throws Failure if the options contradict each other or the type.
void check_export_options(const ExportOptions& options);

// Exports one report. `output`: the file or folder of ExportOptions for this report.
void export_report(const std::string& report, const ExportOptions& options);

// For prof profile: exports the report in each of these types, to files named after it.
void export_all(const std::string& report, const std::vector<std::string>& types, bool overwrite);

// Throws Failure if there is no such type.
void check_export_type(const std::string& type);

// The file that the export of a report gets without -o; kStdout if it goes there.
std::string default_export_name(const std::string& report, const std::string& type);

}  // namespace prof::cli
