// The tool statistic.
#pragma once

#include "cli/mcp/arguments.hpp"

namespace prof::cli {

mcp::ToolResult statistic_of(const Arguments& arguments);

}  // namespace prof::cli
