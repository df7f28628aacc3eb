// --max-overhead of prof profile, prof launch and prof attach.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_thinning_options(CLI::App& app, session::SessionOptions& options);
// Throws Failure if another option needs every call.
void check_thinning_options(const session::SessionOptions& options);

}  // namespace prof::cli
