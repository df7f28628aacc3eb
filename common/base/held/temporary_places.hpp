// Where prof makes folders that are not beside a report.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::base {

// The folder that an environment variable names: an absolute path. Empty if there is none.
std::string folder_in_variable(const char* variable);

// $XDG_RUNTIME_DIR, $TMPDIR and /tmp. Those in which other users could replace what this user
// creates come last.
std::vector<std::string> temporary_places();

// Those in which they cannot.
std::vector<std::string> safe_temporary_places();

// $TMPDIR or /tmp. $XDG_RUNTIME_DIR is a small file system in memory.
std::string place_for_large_files();

// Removes the private folders (PrivateFolder) that killed profs left in these places.
void remove_left_temporaries();

// A folder of this user that others find by its name. It is `path`, or PATH.xxxxxx if that is not
// this user's: in /tmp another user may have created it first. Creates it with these permissions if
// there is none.
Result<std::string> make_own_folder(const std::string& path, mode_t mode);

// All folders that this could be: with these permissions at most.
std::vector<std::string> own_folders(const std::string& path, mode_t mode);

}  // namespace prof::base
