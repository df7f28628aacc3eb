// What per-process events are opened on.
#pragma once

#include <sys/types.h>

#include <vector>

namespace prof::sampler {

// Threads whose future children are recorded too.
struct Tasks {
  std::vector<pid_t> processes;
  std::vector<pid_t> threads;
  bool are_running = false;  // record from now on; else the one process waits to exec
};

// All threads of processes that run now. One that a process starts at this moment may be missing.
Tasks running_tasks(const std::vector<pid_t>& processes);
inline Tasks waiting_process(pid_t pid) { return {{pid}, {pid}, false}; }

}  // namespace prof::sampler
