// The places where prof creates folders that are not beside a report.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::base {

// Returns the folder that an environment variable names, if that is an absolute path; else an empty
// text.
std::string folder_in_variable(const char* variable);

// Returns $XDG_RUNTIME_DIR, $TMPDIR and /tmp. The places where other users could replace what this
// user creates come last.
std::vector<std::string> temporary_places();

// Returns the temporary places where other users cannot replace what this user creates.
std::vector<std::string> safe_temporary_places();

// Returns $TMPDIR or /tmp. $XDG_RUNTIME_DIR is a small file system in memory.
std::string place_for_large_files();

// Removes the private folders (PrivateFolder) that killed profs left in these places.
void remove_left_temporaries();

// Returns a folder of this user that others find by its name. The folder is `path`, or PATH.xxxxxx
// if `path` belongs to another user, who may have created it first in /tmp. Creates the folder with
// these permissions if there is none.
Result<std::string> make_own_folder(const std::string& path, mode_t mode);

// Returns all existing folders that make_own_folder() could return: those with at most these
// permissions.
std::vector<std::string> own_folders(const std::string& path, mode_t mode);

}  // namespace prof::base
