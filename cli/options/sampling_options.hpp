// The options of prof profile for CPU samples and context switches, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_sampling_options(CLI::App& app, session::SamplingOptions& options);

// Completes the options. Warns about everything that is recorded in another way than the user asked
// for.
void resolve_sampling(session::SessionOptions& options);

}  // namespace prof::cli
