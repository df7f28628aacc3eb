// Lets a prof know that another prof still uses a file: the owner of the file holds a lock (flock)
// until it ends. The kernel keeps the lock with the file, so each process that sees the file sees
// the lock. A pid would not do: in another pid namespace its number has no process, or another one.
#pragma once

#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

// Creates a file of mode 0600 for reading and writing, whatever the umask is, and locks it. Fails
// if the name exists. If the result is invalid, errno has the reason. The file is held while the
// descriptor, or a copy of it in a child process, is open. On a file system without locks the file
// is not held, but no other process gets its lock either.
UniqueFd create_held_file(const std::string& path);

// True if the owner of the file could not call flock(), which a sandbox can forbid, and locked it
// by fcntl() instead.
bool is_locked_otherwise(int file);

// Waits until nobody else has the lock of the file or folder, and takes it. Returns false on a file
// system without locks.
bool wait_for_lock(int file);

// Opens and locks a regular file of this user that nobody holds. The result is invalid if somebody
// holds it, or if the file cannot be locked.
UniqueFd take_left_file(const std::string& path);

// Removes a regular file of this user that nobody holds.
void remove_left_file(const std::string& path);

}  // namespace prof::base
