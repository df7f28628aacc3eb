// Files that get their final name when they are complete. The temporary name is prof's, so that
// what a killed prof leaves can be recognised and removed. Such a file is held (held_file.hpp) as
// long as it is written.
#pragma once

#include <string>
#include <string_view>

namespace prof::base {

// PATH.tmp-prof with a number that no other process has, in the same folder. The same process gets
// the same name again.
std::string temporary_name(const std::string& path);

// Is it such a name, or one that reserved_name() gives?
bool is_temporary_name(std::string_view name);

// A file of this name beside PATH says that a prof that holds it will create PATH
// (reserved_name.hpp).
enum class ReservedFor { kNow, kLater };
std::string reserved_name(const std::string& path, ReservedFor purpose);

// Renames a file without replacing another one. Returns 0 or an errno; EEXIST: `to` exists.
int rename_new(const std::string& from, const std::string& to);

}  // namespace prof::base
