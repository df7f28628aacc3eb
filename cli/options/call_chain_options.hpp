// The options of prof profile for call chains of calls, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Adds the options. Parsing them throws Failure for a wrong list of kinds.
void add_call_chain_options(CLI::App& app, session::CallChainOptions& options);

// Switches call chains of CUDA API calls off, with a warning, where CUDA is not traced.
void resolve_call_chains(session::SessionOptions& options);

}  // namespace prof::cli
