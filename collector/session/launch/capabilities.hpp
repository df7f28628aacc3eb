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

// Two of them alone, as all take milliseconds: the kernel is asked for perf events.
Capability cuda_capability();
Capability system_call_capability();

}  // namespace prof::session
