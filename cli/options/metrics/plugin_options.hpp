// --enable: counters of GPUs and of the machine.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Adds --enable. Sets `asks_for_help` for --enable=help.
void add_plugin_options(CLI::App& app, session::SessionOptions& options, bool& asks_for_help);

// Returns the names that --enable takes.
std::vector<std::string> plugin_words();

}  // namespace prof::cli
