// How one prof knows that another one still uses a file: by a lock (flock) that its owner holds
// until it ends. The kernel keeps the lock with the file: each process that sees the file sees it.
// A pid would not do: a prof of another pid namespace sees no process of that number, or another.
#pragma once

#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

// Creates a file of mode 0600 for reading and writing, whatever the umask is, and locks it. Fails
// if there is one of that name. Without a descriptor: errno says why. The file is held as long as
// the descriptor, or a copy of it in a child process, is open. On a file system without locks it is
// not held, but nobody else gets its lock there.
UniqueFd create_held_file(const std::string& path);

// Waits until nobody else has the lock of the file or folder, and takes it. False on a file system
// without locks.
bool wait_for_lock(int file);

// Opens and locks a regular file of this user that nobody holds. Invalid if somebody does, and if
// the file cannot be locked.
UniqueFd take_left_file(const std::string& path);

// Removes such a file.
void remove_left_file(const std::string& path);

}  // namespace prof::base
