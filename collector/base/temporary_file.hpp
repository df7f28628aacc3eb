// Files that get their final name when they are complete. The temporary name says whose they are,
// so that what a killed prof leaves can be recognised and removed.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace prof::base {

// PATH.tmp-profPID, in the same folder.
std::string temporary_name(const std::string& path);

// The pid in such a name; 0: the name is another one.
pid_t temporary_owner(std::string_view name);

// Renames a file without replacing another one. Returns 0 or an errno; EEXIST: `to` exists.
int rename_new(const std::string& from, const std::string& to);

}  // namespace prof::base
