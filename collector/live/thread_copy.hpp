// What a thread was doing at one moment: its registers, a copy of its stack, and its Python frames.
// ptrace stops the thread while these are copied. Then the thread goes on undisturbed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/live/python/python_chains.hpp"
#include "collector/live/snapshot.hpp"
#include "common/code/unwind/process_maps.hpp"
#include "common/code/unwind/registers.hpp"

namespace prof::live {

struct ThreadCopy {
  pid_t thread = 0;
  pid_t own_id = 0;  // the result of gettid() in the process's own pid namespace
  std::string name;
  char state = '?';     // as in /proc/PID/task/TID/stat, before it was stopped
  std::string problem;  // why the rest is missing; empty: nothing is missing
  unwind::Registers registers;
  std::vector<std::byte> stack;  // from the stack pointer upwards
  std::optional<SystemCall> call;
  PythonChains::Frames python;
  std::uint64_t stopped_ns = 0;  // duration of the stop, at most; 0: the thread was not stopped
};

// Copies the threads of a process, one after the other. `python` may be null. A thread that ends
// meanwhile is left out.
std::vector<ThreadCopy> copy_threads(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                                     PythonChains* python);

}  // namespace prof::live
