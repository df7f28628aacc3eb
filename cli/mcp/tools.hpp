// The tools that prof mcp has.
#pragma once

#include <vector>

#include "cli/mcp/client_reports.hpp"
#include "exporters/mcp/features.hpp"

namespace prof::cli {

// Returns the tools. They read `reports` only, which must outlive them.
std::vector<mcp::Tool> mcp_tools(const ClientReports& reports);

}  // namespace prof::cli
