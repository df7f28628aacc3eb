// --trace: what is recorded of the program's calls.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_trace_options(CLI::App& app, session::SessionOptions& options);

// The names that --trace takes.
std::vector<std::string> trace_words();
// The same for messages: "cublas, cuda, ...".
std::string trace_names();

// Selects what a comma-separated list names, and nothing else. Throws Failure for an unknown name
// (with a suggestion) and for a name that nsys knows and prof does not.
void parse_traces(const std::string& list, session::SessionOptions& options);

// Switches system calls off, with a warning, where this machine cannot trace them.
void resolve_system_calls(session::SessionOptions& options);

}  // namespace prof::cli
