// The OS-runtime functions that `-t osrt` traces, by group.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

struct FunctionGroup {
  std::string name;                    // as in osrt.def
  std::string title;                   // for users
  std::vector<std::string> functions;  // sorted
};

std::vector<FunctionGroup> osrt_functions();

}  // namespace prof::cli
