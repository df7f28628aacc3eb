// Finds out what a thread waits for, from the system call that it is in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/live/files/descriptors.hpp"
#include "collector/live/snapshot.hpp"
#include "collector/live/thread_copy.hpp"

namespace prof::live {

// What is known about the process of the thread and about the others.
struct WaitContext {
  pid_t pid = 0;
  const std::vector<ThreadCopy>& threads;
  const std::vector<Process>& processes;  // all processes that are looked at
  Descriptors& descriptors;
  PythonChains* python = nullptr;  // null: the process does not run Python
  // Returns the name of the variable at an address, or an empty string.
  std::function<std::string(std::uint64_t)> variable;
};

// `frames`: the frames of the thread, innermost first.
Wait find_wait(const WaitContext& context, const ThreadCopy& thread,
               const std::vector<Frame>& frames);

}  // namespace prof::live
