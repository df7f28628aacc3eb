// Who there is, as /proc has it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::base {

// The entries of a folder that are numbers: in /proc those of processes, in /proc/PID/task of
// threads. They come and go meanwhile; none if there is no such folder.
std::vector<pid_t> ids_in(const std::string& folder);

}  // namespace prof::base
