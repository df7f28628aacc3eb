// Files that get their final name when they are complete. prof recognises the temporary names, so
// it can remove what a killed prof left. A temporary file is held (held_file.hpp) while it is
// written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::base {

// Returns a random number of the kernel. std::random_device would need a new glibc (arc4random).
std::uint32_t random_number();

// Returns PATH.tmp-prof with a number that no other process has, in the same folder. The same
// process gets the same name again.
std::string temporary_name(const std::string& path);

// True for names that temporary_name() or reserved_name() returns.
bool is_temporary_name(std::string_view name);

// A file of this name beside PATH reserves PATH: the prof that holds the file will create PATH
// (reserved_name.hpp).
enum class ReservedFor { kNow, kLater };
std::string reserved_name(const std::string& path, ReservedFor purpose);

// Renames a file without replacing another one. Returns 0 or an errno; EEXIST: `to` exists.
int rename_new(const std::string& from, const std::string& to);

}  // namespace prof::base
