// Finds libprof_inject.so, and checks that programs can load it.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::session {

// Searches beside the prof executable and in ../lib/prof, so that the package works wherever it is
// unpacked.
base::Result<std::string> find_injection_library();

// Finds the preload library that traces calls of a wire::Library. It is beside the injection
// library.
base::Result<std::string> find_library_tracer(const std::string& injection_library,
                                              std::uint32_t library);

// Finds the folder of the manifest with which the Vulkan loader loads the injection library. It is
// beside the injection library.
base::Result<std::string> find_vulkan_layer(const std::string& injection_library);

}  // namespace prof::session
