// Demangled names of kernels, for prof kernel --kernel-name-base=demangled. The library in the
// program cannot demangle names, so it asks prof once for each.
#pragma once

namespace prof::wire {

// A file of the session directory to which programs append mangled names: lines "HASH NAME", with
// 16 hexadecimal digits.
inline constexpr char kKernelNamesName[] = "kernel_names";
// The file to which prof appends the answers: lines "HASH DEMANGLED".
inline constexpr char kKernelAnswersName[] = "kernel_answers";

}  // namespace prof::wire
