// The prompts that prof mcp has, and what a model should know before it uses the tools.
#pragma once

#include <vector>

#include "exporters/mcp/features.hpp"

namespace prof::cli {

const char* mcp_instructions();
std::vector<mcp::Prompt> mcp_prompts();

}  // namespace prof::cli
