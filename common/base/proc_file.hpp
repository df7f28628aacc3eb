// Reads files of /proc. Processes can make these files long, so the size that is read is limited.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::base {

// Returns an error if /proc is not mounted, as in a root without it.
Status check_proc();

// Returns the content. Empty if the file is missing or cannot be read, also because the process
// ends meanwhile.
std::string read_proc_file(const std::string& path, std::size_t most = std::size_t{1} << 20);
// Returns the target of a link. Empty if it cannot be read.
std::string read_link(const std::string& path);

// Returns the path of the running program, even if /proc is not mounted. Empty if it cannot be
// found.
std::filesystem::path own_program();

// Returns "/proc/PID/NAME".
std::string proc_path(pid_t pid, std::string_view name);
// Returns "/proc/PID/task/TID/NAME".
std::string proc_path(pid_t pid, pid_t thread, std::string_view name);

// Returns the value in the line "KEY:\tVALUE"; empty if there is no such line.
std::string_view status_value(std::string_view status, std::string_view key);

// Returns a field of /proc/PID/stat by its number in proc_pid_stat(5): 3 (the state) or higher.
// Field 2 is a name, which may contain blanks and parentheses. Empty if there is no such field.
std::string_view stat_field(std::string_view stat, int number);

// Returns the number at the beginning of the text; 0 if there is none.
std::uint64_t number_in(std::string_view text, int base = 10);

}  // namespace prof::base
