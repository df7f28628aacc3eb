// The tool compare.
#pragma once

#include "cli/mcp/arguments.hpp"
#include "cli/mcp/client_reports.hpp"

namespace prof::cli {

mcp::ToolResult comparison_of(const ClientReports& reports, const Arguments& arguments);

}  // namespace prof::cli
