// The --cuda-* options of recordings, under nsys's names, and other options of CUDA.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_cuda_options(CLI::App& app, session::SessionOptions& session);

// The options of PC samples, of programs that are recorded until they end: CUPTI can neither end
// sampling beside launches, nor enable its tracing again while it samples (13.0 on an H200).
void add_pc_sampling_options(CLI::App& app, session::SessionOptions& session);

// Switches CUDA off, with a warning, where it cannot be traced. Throws Failure for a wrong
// --cupti-path.
void resolve_cuda(session::SessionOptions& options);

}  // namespace prof::cli
