// The options of prof profile for starting the program and its children, and for the end of
// recording.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_program_options(CLI::App& app, session::SessionOptions& options);

}  // namespace prof::cli
