// The option --range-of: which NVTX ranges work in CUDA graphs is in.
#pragma once

#include <CLI/CLI.hpp>

#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::cli {

void add_range_of_option(CLI::App& app, events::RangeOf& range_of);

}  // namespace prof::cli
