// The --python-* options of prof profile, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Adds the options. Parsing them throws Failure for a wrong list.
void add_python_options(CLI::App& app, session::SessionOptions& options);

// Reads the files and lists of --python-functions-trace and --pytorch. Switches NVTX on if they
// need it. Throws Failure for a wrong file or list.
void resolve_python_ranges(session::SessionOptions& options);

// Warns about call chains of calls that are not traced.
void resolve_python_call_chains(session::SessionOptions& options);

}  // namespace prof::cli
