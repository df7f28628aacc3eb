// Names of functions on the CPU as a programmer reads them. (Kernels have a form of their own:
// demangle.hpp.)
#pragma once

#include <string>

namespace prof::demangle {

// C++ (Itanium) and Rust (v0 and legacy) names demangled, others unchanged. Bounded on hostile
// input.
std::string demangle_function(const std::string& name);

}  // namespace prof::demangle
