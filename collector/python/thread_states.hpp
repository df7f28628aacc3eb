// Which threads of a process are running or runnable, according to /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_map>

#include "collector/base/unique_fd.hpp"

namespace prof::python {

class ThreadStates {
 public:
  explicit ThreadStates(pid_t process) : process_(process) {}

  bool is_running(pid_t thread);

 private:
  pid_t process_;
  std::unordered_map<pid_t, base::UniqueFd> files_;  // kept open, and read from the start each time
};

}  // namespace prof::python
