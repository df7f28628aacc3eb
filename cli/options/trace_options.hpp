// --trace: which calls of the program are recorded.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_trace_options(CLI::App& app, session::SessionOptions& options);
// Adds --syscall (prof profile).
void add_system_calls(CLI::App& app, session::SessionOptions& options);
void add_ftrace_options(CLI::App& app, session::TracepointOptions& options);

// Returns the names that --trace takes.
std::vector<std::string> trace_words();
// Returns the names that --trace takes as a text for messages: "cublas, cuda, ...".
std::string trace_names();

// Selects the kinds of calls in a comma-separated list, and no others. Warns about kinds that prof
// does not record. Throws Failure for a name that resembles a known one, with a suggestion.
void parse_traces(const std::string& list, session::SessionOptions& options);

// Switches system calls off, with a warning, where this machine cannot trace them.
void resolve_system_calls(session::SessionOptions& options);

}  // namespace prof::cli
