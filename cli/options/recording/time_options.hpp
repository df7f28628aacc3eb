// --delay, --duration and --stop-on-exit of prof profile.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// Parses seconds, which may have fractions: "0.5". Throws Failure that names the option.
std::chrono::nanoseconds seconds_of(const std::string& text, const std::string& name);

// Adds --duration. Without a value there is no limit.
CLI::Option* add_duration(CLI::App& app, std::optional<std::chrono::nanoseconds>& duration,
                          const char* help);

void add_time_options(CLI::App& app, session::SessionOptions& options);

// Completes the options. A capture range overrides a delay and a duration, with a warning. Throws
// Failure for values that contradict each other or other options.
void resolve_time_options(session::SessionOptions& options);

}  // namespace prof::cli
