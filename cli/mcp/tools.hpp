// The tools that prof mcp has.
#pragma once

#include <vector>

#include "exporters/mcp/protocol.hpp"
#include "exporters/mcp/roots.hpp"

namespace prof::cli {

// Returns the tools. They read reports in `roots` only, which must outlive
// them.
std::vector<mcp::Tool> mcp_tools(const mcp::Roots& roots);

// Says what a model should know before it uses the tools.
const char* mcp_instructions();

}  // namespace prof::cli
