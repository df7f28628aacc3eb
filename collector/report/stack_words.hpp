// What nsys writes into tables of call chains where there is no name.
#pragma once

#include <string_view>

namespace prof::report {

inline constexpr std::string_view kUnknownCode = "[Unknown]";
inline constexpr std::string_view kKernelCode = "[kernel.kallsyms]";
// In place of a chain's outer frames: it goes on, or could not be followed.
inline constexpr std::string_view kMaxDepth = "[Max depth]";
inline constexpr std::string_view kBrokenChain = "[Broken backtraces]";

}  // namespace prof::report
