// --ranks of prof export: a Chrome trace for each rank of a distributed program.
#pragma once

#include <string>
#include <vector>

#include "cli/export/export_options.hpp"

namespace prof::cli {

// Writes the traces. A rank is a process with GPU work. Ranks are counted over all reports; within
// a report they are in the order of their GPUs, then of their process numbers. Throws Failure.
void export_ranks(const std::vector<std::string>& reports, const ExportOptions& options);

}  // namespace prof::cli
