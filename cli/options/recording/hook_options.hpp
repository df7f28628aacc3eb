// --after-collection-start and --after-report-ready, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_hook_options(CLI::App& app, session::HookOptions& options);
// Adds those that concern reports, for prof recover.
void add_report_hook(CLI::App& app, session::HookOptions& options);

}  // namespace prof::cli
