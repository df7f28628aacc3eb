// Makes names of CPU functions readable. Kernel names have another form (demangle.hpp).
#pragma once

#include <string>

namespace prof::demangle {

// Demangles C++ (Itanium) and Rust (v0 and legacy) names and returns others unchanged. Memory is
// limited for hostile input; so is time, but for pack expansions of nested substitutions
// (docs/decisions/0038-kernel-names.md).
std::string demangle_function(const std::string& name);

}  // namespace prof::demangle
