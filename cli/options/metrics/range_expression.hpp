// Expressions of --nvtx-include and --nvtx-exclude, which are Nsight Compute's.
#pragma once

#include <string>

namespace prof::cli {

// Returns the line of the plan for an expression such as "domain@[outer/*/inner/": the domain, its
// place and its parts, after tabs. Throws Failure if prof does not know the expression.
std::string range_line(const std::string& option, const std::string& expression);

}  // namespace prof::cli
