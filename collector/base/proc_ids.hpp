// Ids of processes and threads from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::base {

// The entries of a folder that are numbers: process ids in /proc, thread ids in /proc/PID/task. The
// list can be out of date at once. Empty if the folder does not exist.
std::vector<pid_t> ids_in(const std::string& folder);

}  // namespace prof::base
