// Makes names of CPU functions readable. Kernel names have another form (demangle.hpp).
#pragma once

#include <string>

namespace prof::demangle {

// Demangles C++ (Itanium) and Rust (v0 and legacy) names and returns others unchanged. Time and
// memory are limited for hostile input.
std::string demangle_function(const std::string& name);

}  // namespace prof::demangle
