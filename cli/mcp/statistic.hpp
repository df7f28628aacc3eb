// The tool statistic.
#pragma once

#include "cli/mcp/arguments.hpp"
#include "exporters/mcp/roots.hpp"

namespace prof::cli {

mcp::ToolResult statistic_of(const mcp::Roots& roots, const Arguments& arguments);

}  // namespace prof::cli
