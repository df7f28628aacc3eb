// What prof does with the reports of a recording when they are written: --partial, --export and
// --stats.
#pragma once

#include <string>
#include <vector>

#include "cli/options/recording/recording_options.hpp"

namespace prof::cli {

// Throws Failure if an export fails. If the partial results cannot be written, prints a line.
// `overwrite`: exports replace existing files.
void do_report_work(const std::vector<std::string>& reports, const ReportWork& work,
                    bool overwrite);

}  // namespace prof::cli
