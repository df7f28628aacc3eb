// What is recorded of graphics APIs.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_graphics_options(CLI::App& app, session::SessionOptions& options);

// Switches Vulkan off, with a warning, if prof was built without it.
void resolve_graphics(session::SessionOptions& options);

}  // namespace prof::cli
