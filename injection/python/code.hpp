// Identifies Python's code objects and describes them to the collector.
#pragma once

#include <cstdint>

#include "common/wire/python_frames/python_layout.hpp"

namespace prof::python {

// Returns a cheap hash of a code object's content. The address alone is not enough, because objects
// are freed and other functions get the same address. The hash stays the same while the object
// exists.
std::uint64_t fingerprint(const python_frames::PythonLayout& layout, std::uint64_t code);

// Makes sure that the collector knows the function. Returns the function's key, or 0 if it could
// not be sent.
std::uint64_t describe(const python_frames::PythonLayout& layout, std::uint64_t code);

// Forgets which functions were sent, because the next session does not know them.
void forget_codes();

}  // namespace prof::python
