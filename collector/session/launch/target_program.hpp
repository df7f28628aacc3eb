// Inspects the program before it is launched: whether it exists, and what prevents tracing it.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::session {

struct TargetProgram {
  std::string path;                        // the path that execvp would find
  std::vector<std::string> preload_first;  // sanitizer runtimes, which must be loaded first
  std::vector<std::string> warnings;       // why a part of the program cannot be traced
  // The program loads prof's library; false: it is static, or not for glibc.
  bool loads_library = true;
};

// `search_path`: the value of PATH. A script is followed to its interpreter.
base::Result<TargetProgram> inspect_program(const std::string& name,
                                            const std::string& search_path);

}  // namespace prof::session
