// nsys's texts for frames of call chains that have no name.
#pragma once

#include <string_view>

namespace prof::report {

inline constexpr std::string_view kUnknownCode = "[Unknown]";
inline constexpr std::string_view kKernelCode = "[kernel.kallsyms]";
// Stands in place of the file of code that a JIT compiler made. prof's own text.
inline constexpr std::string_view kJitModule = "[JIT]";
// Stands in place of outer frames: the chain is longer than the limit, or unwinding failed.
inline constexpr std::string_view kMaxDepth = "[Max depth]";
inline constexpr std::string_view kBrokenChain = "[Broken backtraces]";

}  // namespace prof::report
