// What a thread was doing at one moment: its registers, a copy of its stack, and its Python frames.
// The thread is stopped by ptrace while these are copied, and then goes on as if nothing had been.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/live/python_chains.hpp"
#include "common/code/unwind/process_maps.hpp"
#include "common/code/unwind/registers.hpp"

namespace prof::live {

// A system call that a thread was in.
struct SystemCall {
  std::uint32_t number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

struct ThreadCopy {
  pid_t thread = 0;
  pid_t own_id = 0;  // as gettid() gives it in the process's own pid namespace
  std::string name;
  char state = '?';     // as in /proc/PID/task/TID/stat, before it was stopped
  std::string problem;  // why the rest is missing; empty: it is there
  unwind::Registers registers;
  std::vector<std::byte> stack;  // from the stack pointer upwards
  std::optional<SystemCall> call;
  PythonChains::Frames python;
  std::uint64_t stopped_ns = 0;  // at most; 0: it was not stopped
};

// The threads of a process, one after the other. `python` may be null. A thread that ends meanwhile
// is left out.
std::vector<ThreadCopy> copy_threads(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                                     PythonChains* python);

}  // namespace prof::live
