// --max-overhead of prof profile, prof launch and prof attach.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_thinning_options(CLI::App& app, session::SessionOptions& options);
// Options with which every call counts.
void check_thinning_options(const session::SessionOptions& options);

}  // namespace prof::cli
