// --after-collection-start and --after-report-ready, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_hook_options(CLI::App& app, session::HookOptions& options);

// Runs the command of --after-report-ready for each report, one after another. Prints a line if a
// command fails. `exit_status` is that of the program; empty: it runs, or prof has not started it.
void run_after_reports(const session::HookOptions& options, const std::string& session,
                       const std::vector<std::string>& reports,
                       const std::string& exit_status = {});

}  // namespace prof::cli
