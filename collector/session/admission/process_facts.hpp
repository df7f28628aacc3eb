// What the kernel knows about a process of which only the pid is known.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/base/unique_fd.hpp"

namespace prof::session {

// Is there no process with this pid, not even one that is not reaped yet?
bool has_ended(pid_t pid);

// The same, or is it not reaped yet? Then it does nothing any more.
bool is_dead(pid_t pid);

// Invalid on failure, with the reason in errno: ESRCH if the process has ended.
base::UniqueFd open_pidfd(pid_t pid);

// How a process ended that this one did not start, as a shell says it: 128 + the number of a
// signal. Nothing if its parent has not asked yet, or before Linux 6.15.
std::optional<int> exit_status_of(int pidfd);

// Time since the process was started in ns, precise to 10 ms. 0 if there is no such process. See
// proc(5), /proc/PID/stat.
std::uint64_t age_of(pid_t pid);

// Looks for a process that announced itself `age` ns ago.
struct FoundProcess {
  base::UniqueFd pidfd;    // invalid if the process is gone, or no descriptor is left
  bool is_reaped = false;  // ended, and waited for by its parent
};
FoundProcess find_process(pid_t pid, std::uint64_t age);

}  // namespace prof::session
