// The tool statistic.
#pragma once

#include "cli/mcp/arguments.hpp"
#include "cli/mcp/client_reports.hpp"

namespace prof::cli {

mcp::ToolResult statistic_of(const ClientReports& reports, const Arguments& arguments);

}  // namespace prof::cli
