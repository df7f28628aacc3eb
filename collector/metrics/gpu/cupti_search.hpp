// Finds libcupti for prof's processes: the linker's search path, toolkits, wheels of Python.
#pragma once

#include <string>

#include "common/base/result.hpp"

namespace prof::metrics {

// Loads libcupti and returns its handle. `path`: the library to load; empty: search for one.
base::Result<void*> open_cupti(const std::string& path);

}  // namespace prof::metrics
