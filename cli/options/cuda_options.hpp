// The --cuda-* options of prof profile, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_cuda_options(CLI::App& app, session::SessionOptions& session);

// Switches CUDA off, with a warning, where it cannot be traced. Throws Failure for a wrong
// --cupti-path.
void resolve_cuda(session::SessionOptions& options);

}  // namespace prof::cli
