// --delay, --duration and --stop-on-exit of prof profile.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_time_options(CLI::App& app, session::SessionOptions& options);

// Throws Failure for values that contradict each other or other options.
void check_time_options(const session::SessionOptions& options);

}  // namespace prof::cli
