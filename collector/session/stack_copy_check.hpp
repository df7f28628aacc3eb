// May a process have the kernel copy its own stack (injection/core/record/stack_copy.cpp)? A filter
// of system calls that we were started under holds for what we start, too.
#pragma once

#include <string>

namespace prof::session {

// Empty if it may; else why not.
std::string stack_copy_obstacle();

}  // namespace prof::session
