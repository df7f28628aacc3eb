// What can be collected on this machine, and the reasons against the rest.
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

// True if prof was built with CUPTI's headers. Then it traces CUDA also on machines without an
// installed driver, because a program may come with its own.
bool can_trace_cuda();

// True if prof was built with Vulkan's headers.
bool can_trace_vulkan();

// These return some of the capabilities alone. Finding out all of them takes milliseconds, because
// the kernel is asked for perf events.
Capability cuda_capability();
Capability vulkan_capability();
Capability system_call_capability();

}  // namespace prof::session
