// --trace: what is recorded of the program's calls.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_trace_options(CLI::App& app, session::SessionOptions& options);
// --syscall of prof profile.
void add_system_calls(CLI::App& app, session::SessionOptions& options);

// The names that --trace takes.
std::vector<std::string> trace_words();
// The same for messages: "cublas, cuda, ...".
std::string trace_names();

// Selects what a comma-separated list names, and nothing else. What prof does not record becomes a
// warning. Throws Failure for a name that resembles a known one, with a suggestion.
void parse_traces(const std::string& list, session::SessionOptions& options);

// Switches system calls off, with a warning, where this machine cannot trace them.
void resolve_system_calls(session::SessionOptions& options);

}  // namespace prof::cli
