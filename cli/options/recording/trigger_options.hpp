// --start-on and --stop-on of prof profile and prof start.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_trigger_options(CLI::App& app, session::TimeOptions& time);

// Throws Failure for values that contradict other options.
void check_trigger_options(const session::SessionOptions& options);

// Returns why the report has no events: the start trigger did not fire.
std::string why_never_started(const session::TimeOptions& time);

}  // namespace prof::cli
