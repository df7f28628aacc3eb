// What can be collected on this machine, and what prevents the rest.
#pragma once

#include <string>
#include <vector>

namespace prof::session {

struct Capability {
  std::string name;  // as in `--trace`, or a system facility
  bool available = false;
  std::string detail;  // how it is collected, or why it is not available and what would help
};

std::vector<Capability> capabilities();

// The capability of one trace name. Any other name is not available.
Capability capability(const std::string& name);

}  // namespace prof::session
