// The tool compare.
#pragma once

#include "cli/mcp/arguments.hpp"

namespace prof::cli {

mcp::ToolResult comparison_of(const Arguments& arguments);

}  // namespace prof::cli
