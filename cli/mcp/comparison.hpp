// The tool compare.
#pragma once

#include "cli/mcp/arguments.hpp"
#include "exporters/mcp/roots.hpp"

namespace prof::cli {

mcp::ToolResult comparison_of(const mcp::Roots& roots, const Arguments& arguments);

}  // namespace prof::cli
