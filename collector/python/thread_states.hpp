// Which threads of a process are on a CPU, or want to be: as /proc says.
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
  std::unordered_map<pid_t, base::UniqueFd> files_;  // kept open: read from the beginning each time
};

}  // namespace prof::python
