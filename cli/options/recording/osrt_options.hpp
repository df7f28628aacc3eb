// The options of prof profile for OS-runtime calls.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Adds the threshold option only. A session does not have the option for file access, because it
// does not follow files that are opened while it is dormant.
void add_osrt_threshold(CLI::App& app, session::SessionOptions& options);
void add_osrt_options(CLI::App& app, session::SessionOptions& options);

// Throws Failure if an option needs OS-runtime calls and they are not traced.
void check_osrt_options(const session::SessionOptions& options);

}  // namespace prof::cli
