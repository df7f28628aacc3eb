#pragma once

#include <string>
#include <string_view>

namespace prof::base {

// A path as a word of a command for a shell: quoted if that is necessary, and never an option.
std::string shell_word(std::string_view path);

}  // namespace prof::base
