// Finds the processes that hold a lock of a file: one of flock() or of fcntl().
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace prof::live {

enum class FileLockKind : std::uint8_t {
  kFlock,
  kPosix,            // belongs to a process
  kOpenDescription,  // belongs to an open file, which several processes can share
};

// Returns the processes that hold the lock for which a process waits with this descriptor. Empty if
// they cannot be seen.
std::vector<pid_t> file_lock_holders(pid_t waiting, std::uint64_t number, FileLockKind kind);

}  // namespace prof::live
