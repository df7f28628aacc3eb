// What the kernel says of a process that is known by its number only.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

// Is there no process of that number, not even one that waits for its parent?
bool has_ended(pid_t pid);

// Invalid, and errno says why: ESRCH if it has ended.
base::UniqueFd open_pidfd(pid_t pid);

// Since it was started, ns, to 10 ms; 0 if it is not there. See proc(5), /proc/PID/stat.
std::uint64_t age_of(pid_t pid);

// One that said something `age` ns ago.
struct FoundProcess {
  base::UniqueFd pidfd;    // invalid if it is gone, or we have no descriptor left
  bool is_reaped = false;  // ended, and waited for by its parent
};
FoundProcess find_process(pid_t pid, std::uint64_t age);

}  // namespace prof::session
