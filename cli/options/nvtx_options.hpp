// The options of prof profile for NVTX domains.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_nvtx_options(CLI::App& app, session::NvtxOptions& options);

// Completes the options. Throws Failure if the names of the domains are too long. Warns if prof
// replaces another tool's NVTX library.
void resolve_nvtx(session::SessionOptions& options);

}  // namespace prof::cli
