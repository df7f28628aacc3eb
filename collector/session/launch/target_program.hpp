// Inspects the program before it is launched: does it exist, and what prevents tracing it?
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::session {

struct TargetProgram {
  std::string path;                        // the path that execvp would find
  std::vector<std::string> preload_first;  // sanitizer runtimes, which must be loaded first
  std::vector<std::string> warnings;       // why part of it cannot be traced
  bool loads_library = true;               // prof's; false: it is static, or not for glibc
};

// `search_path`: value of PATH. Scripts are followed to their interpreter.
base::Result<TargetProgram> inspect_program(const std::string& name,
                                            const std::string& search_path);

}  // namespace prof::session
