// Texts of nsys for frames of call chains without a name.
#pragma once

#include <string_view>

namespace prof::report {

inline constexpr std::string_view kUnknownCode = "[Unknown]";
inline constexpr std::string_view kKernelCode = "[kernel.kallsyms]";
// prof's own: in place of the file of code that a JIT compiler made.
inline constexpr std::string_view kJitModule = "[JIT]";
// In place of outer frames: the chain is longer than the limit, or unwinding failed.
inline constexpr std::string_view kMaxDepth = "[Max depth]";
inline constexpr std::string_view kBrokenChain = "[Broken backtraces]";

}  // namespace prof::report
