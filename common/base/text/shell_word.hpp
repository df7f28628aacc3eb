#pragma once

#include <string>
#include <string_view>

namespace prof::base {

// Returns a path as a word of a shell command: quoted if that is necessary, and never an option.
std::string shell_word(std::string_view path);

}  // namespace prof::base
