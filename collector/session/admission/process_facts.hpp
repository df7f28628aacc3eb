// What the kernel knows about a process, given its pid.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/base/unique_fd.hpp"

namespace prof::session {

// True if no process has this pid, not even one that is not reaped yet.
bool has_ended(pid_t pid);

// True if the process has ended, even if it is not reaped yet.
bool is_dead(pid_t pid);

// Opens a pidfd. Invalid on failure, with the reason in errno: ESRCH if the process has ended.
base::UniqueFd open_pidfd(pid_t pid);

// Returns how a process ended that this process did not start, as a shell shows it: 128 + the
// number of a signal. Nothing if its parent has not asked yet, or before Linux 6.15.
std::optional<int> exit_status_of(int pidfd);

// Returns the time since the process was started in ns, precise to 10 ms; 0 if there is no such
// process. See proc(5), /proc/PID/stat.
std::uint64_t age_of(pid_t pid);

// Looks for a process that announced itself `age` ns ago.
struct FoundProcess {
  base::UniqueFd pidfd;    // invalid if the process is gone, or no descriptor is left
  bool is_reaped = false;  // the process has ended, and its parent has waited for it
};
FoundProcess find_process(pid_t pid, std::uint64_t age);

}  // namespace prof::session
