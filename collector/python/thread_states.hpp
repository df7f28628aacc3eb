// Which threads of a process are running or runnable, and which began to wait, according to /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/base/unique_fd.hpp"

namespace prof::python {

class ThreadStates {
 public:
  explicit ThreadStates(pid_t process) : process_(process) {}

  bool is_running(pid_t thread);

  // Returns how often the thread has been given a CPU so far; 0 if that is not known. The number
  // does not change while the thread waits.
  std::uint64_t turns(pid_t thread);

 private:
  // Files that are kept open, and read from the start each time.
  using Files = std::unordered_map<pid_t, base::UniqueFd>;

  std::string_view read(Files& files, const char* name, pid_t thread);

  pid_t process_;
  Files states_;
  Files turns_;
  char text_[128];
};

}  // namespace prof::python
