// Exports a report, for prof export and prof profile --export.
#pragma once

#include <string>
#include <vector>

#include "cli/export/export_options.hpp"

namespace prof::cli {

// Returns the names of all types of exports.
std::vector<std::string> export_type_names();

// Throws Failure if the options contradict each other or the type.
void check_export_options(const ExportOptions& options);

// Exports one report. `options.output` is the file or folder for this report.
void export_report(const std::string& report, const ExportOptions& options);

// Exports the report in each of these types, to files named after the report (prof profile
// --export).
void export_all(const std::string& report, const std::vector<std::string>& types, bool overwrite);

// Throws Failure if no export has this type.
void check_export_type(const std::string& type);

// Returns the file that the export of a report gets without -o, or kStdout.
std::string default_export_name(const std::string& report, const std::string& type);

}  // namespace prof::cli
