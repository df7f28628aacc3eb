// Finds libprof_inject.so and makes sure that targets will be able to load it.
#pragma once

#include <cstdint>
#include <string>

#include "collector/base/result.hpp"

namespace prof::session {

// Looked for beside the prof executable and in ../lib/prof, so that the package works from
// wherever it was unpacked.
base::Result<std::string> find_injection_library();

// The preload library that traces calls of a wire::Library: beside the other.
base::Result<std::string> find_library_tracer(const std::string& injection_library,
                                              std::uint32_t library);

}  // namespace prof::session
