// --type=run of prof export: the reports of a job as a folder of Parquet files, and run.db.
#pragma once

#include <string>
#include <vector>

#include "cli/export/export_options.hpp"

namespace prof::cli {

inline constexpr const char* kRunType = "run";

// Becomes the Python package, which writes the folder. `reports` may have folders. Throws Failure
// if the options do not fit the type, or Python cannot be run.
[[noreturn]] void export_run(const std::vector<std::string>& reports, const ExportOptions& options);

}  // namespace prof::cli
