// Finds out whether a file is gone, for a process that may see other file systems (another mount
// namespace, a container) than the process that recorded where the file is.
#pragma once

#include <string>

namespace prof::base {

// Describes an existing file, and the folders that lead to it, in a few lines of text.
std::string describe_place(const std::string& path);

// True if the file that was described has been removed or moved out of its folder. False if it is
// there, under any name of the folder, and false if this process does not see that folder.
bool is_gone(const std::string& description);

}  // namespace prof::base
