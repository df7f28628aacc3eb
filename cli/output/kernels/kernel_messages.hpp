// What prof kernel says when the program has ended.
#pragma once

#include <cstdint>
#include <string>

namespace prof::cli {

// Prints how many launches were profiled, and why others were not. Returns their number.
std::int64_t print_kernel_summary(const std::string& report);

}  // namespace prof::cli
