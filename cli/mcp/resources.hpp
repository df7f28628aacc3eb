// The resources that prof mcp has: what reports say about themselves, and documents of prof.
#pragma once

#include "cli/mcp/client_reports.hpp"
#include "exporters/mcp/features.hpp"

namespace prof::cli {

// `reports` must outlive the resources.
mcp::Resources mcp_resources(const ClientReports& reports);

}  // namespace prof::cli
