// Seccomp filters of the program's threads. A filter may kill the program for a system call that
// prof makes a thread call.
#pragma once

#include <sys/types.h>

#include "common/base/result.hpp"

namespace prof::attach {

// True if the thread is in seccomp's strict mode, or has filters that this process does not have.
bool is_confined(pid_t thread);

// Fails if a thread of the process is confined: once attached, its calls go through prof's
// functions.
base::Status check_filters(pid_t process);

}  // namespace prof::attach
