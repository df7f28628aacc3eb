#pragma once

#include <sys/types.h>

#include <cstdint>

namespace prof::session {

// Since a process was started, ns, to 10 ms; 0 if it is not there. See proc(5), /proc/PID/stat.
std::uint64_t age_of(pid_t pid);

}  // namespace prof::session
