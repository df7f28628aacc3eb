// Files of /proc. What they say comes from the processes, so their size is limited.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::base {

// An error if /proc is not mounted, as in a root without it.
Status check_proc();

// Empty if the file is missing or cannot be read, also because the process ends meanwhile.
std::string read_proc_file(const std::string& path, std::size_t most = std::size_t{1} << 20);
// The target of a link; empty as above.
std::string read_link(const std::string& path);

// The path of the running program: also where /proc is not mounted. Empty if it cannot be found.
std::filesystem::path own_program();

// "/proc/PID/NAME"
std::string proc_path(pid_t pid, std::string_view name);

// The value in a line "KEY:\tVALUE"; empty if there is none.
std::string_view status_value(std::string_view status, std::string_view key);

// A field of /proc/PID/stat by its number in proc_pid_stat(5): 3 (the state) or higher. A name,
// which is field 2, may contain blanks and parentheses. Empty if there is none.
std::string_view stat_field(std::string_view stat, int number);

// A number at the beginning of the text; 0 if there is none.
std::uint64_t number_in(std::string_view text, int base = 10);

}  // namespace prof::base
