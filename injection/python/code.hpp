// Python's code objects: what tells one from another, and their description for the collector.
#pragma once

#include <cstdint>

#include "injection/python_frames/python_layout.hpp"

namespace prof::python {

// A cheap hash of what a code object is. Its address alone will not do: objects come and go, and
// the next one at an address is another function. Deterministic while the object lives.
std::uint64_t fingerprint(const python_frames::PythonLayout& layout, std::uint64_t code);

// Makes sure that the collector knows the function, and returns its key; 0 if it could not be sent.
std::uint64_t describe(const python_frames::PythonLayout& layout, std::uint64_t code);

}  // namespace prof::python
