// Looks at the program to be launched before it runs: does it exist, and what will keep us from
// tracing it?
#pragma once

#include <string>
#include <vector>

#include "collector/base/result.hpp"

namespace prof::session {

struct TargetProgram {
  std::string path;                        // as execvp would find it
  std::vector<std::string> preload_first;  // sanitizer runtimes that must precede our library
  std::vector<std::string> warnings;       // why part of it cannot be traced
};

// `search_path`: value of PATH. Scripts are followed to their interpreter.
base::Result<TargetProgram> inspect_program(const std::string& name,
                                            const std::string& search_path);

}  // namespace prof::session
