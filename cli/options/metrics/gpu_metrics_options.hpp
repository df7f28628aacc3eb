// The options of prof profile for sampled counters, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_gpu_metrics_options(CLI::App& app, session::SessionOptions& session);

// Prints the help that an option with the value "help" asks for. Returns whether an option has that
// value.
bool print_metrics_help(const metrics::GpuMetricsOptions& options, const std::string& cupti_path);

// Completes the options. Throws Failure for a file that cannot be read. An unknown set
// becomes a warning.
void resolve_gpu_metrics(session::SessionOptions& options);

}  // namespace prof::cli
