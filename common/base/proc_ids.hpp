// Reads ids of processes and threads from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::base {

// Returns the entries of a folder that are numbers: process ids in /proc, descriptors in
// /proc/PID/fd. The list can be out of date at once. Empty if the folder does not exist.
std::vector<pid_t> ids_in(const std::string& folder);
// Returns the thread ids of a process. The list can be out of date at once.
std::vector<pid_t> threads_of(pid_t process);

// Returns a thread of the process that has not ended: the first thread, if possible. When the first
// thread of a process has ended, files like /proc/PID/maps and /proc/PID/exe are empty, but the
// files of the other threads are not. Returns 0 if all threads have ended.
pid_t living_thread(pid_t process);

}  // namespace prof::base
