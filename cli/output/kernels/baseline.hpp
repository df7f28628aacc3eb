// prof kernel --baseline: what changed since another report of prof kernel.
#pragma once

#include <string>

namespace prof::cli {

// Replaces a name that is short for a report by that of the file. Throws Failure if it has no
// profiles of kernels.
void check_baseline(std::string& baseline);

// Prints the metrics of the report that differ from those of the baseline. Prints nothing if the
// report has no profiles.
void print_changes_since(const std::string& baseline, const std::string& report);

}  // namespace prof::cli
