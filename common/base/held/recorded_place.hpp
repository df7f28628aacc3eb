// Whether a file is gone, for a process that may see other file systems (another mount namespace, a
// container) than the one that wrote down where the file is.
#pragma once

#include <string>

namespace prof::base {

// Describes a file that exists, and the folders that lead to it, in a few lines of text.
std::string describe_place(const std::string& path);

// True if the file that was described has been removed or has left its folder. False if it is
// there, under any name of the folder, and if this process does not see the folder where it was.
bool is_gone(const std::string& description);

}  // namespace prof::base
