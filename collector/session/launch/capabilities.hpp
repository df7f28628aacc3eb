// What can be collected on this machine, and why not.
#pragma once

#include <string>
#include <vector>

namespace prof::session {

struct Capability {
  std::string name;  // as in `--trace`, or a system facility
  bool available = false;
  std::string detail;  // how it is done, or why it cannot be and what to do about it
};

std::vector<Capability> capabilities();

// Of one trace name; nothing is known about others.
Capability capability(const std::string& name);

}  // namespace prof::session
