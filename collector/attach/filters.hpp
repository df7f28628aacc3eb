// Seccomp of the program's threads. What prof lets a thread call may make a filter kill the
// program.
#pragma once

#include <sys/types.h>

#include "common/base/result.hpp"

namespace prof::attach {

// Is the thread in seccomp's strict mode, or has it filters that this process does not have?
bool is_confined(pid_t thread);

// Fails if a thread of the process is confined: its calls will lead to prof.
base::Status check_filters(pid_t process);

}  // namespace prof::attach
