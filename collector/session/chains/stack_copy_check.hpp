// Checks whether a process may have the kernel copy its own stack
// (injection/core/record/stack_copy.cpp). A seccomp filter of prof also applies to the processes
// that it starts.
#pragma once

#include <string>

namespace prof::session {

// Returns an empty string if the process may do so, else the reason.
std::string stack_copy_obstacle();

}  // namespace prof::session
