// The tasks that per-process events are opened on.
#pragma once

#include <sys/types.h>

#include <vector>

namespace prof::sampler {

// Threads that are recorded together with their future children.
struct Tasks {
  std::vector<pid_t> processes;
  std::vector<pid_t> threads;
  bool are_running = false;  // true: record from now on; false: the single process waits to exec
};

// Returns all threads of processes that run now. A thread that a process starts at this moment may
// be missing.
Tasks running_tasks(const std::vector<pid_t>& processes);
inline Tasks waiting_process(pid_t pid) { return {{pid}, {pid}, false}; }

}  // namespace prof::sampler
