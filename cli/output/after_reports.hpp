// The command of --after-report-ready.
#pragma once

#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Runs the command of --after-report-ready for each report, one after another. If a
// command fails, prints a line and writes it into the report. `exit_status` is that of the program;
// empty: it runs, or prof has not started it.
void run_after_reports(const session::HookOptions& options, const std::string& session,
                       const std::vector<std::string>& reports,
                       const std::string& exit_status = {});

}  // namespace prof::cli
