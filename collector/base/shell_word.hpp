#pragma once

#include <string>
#include <string_view>

namespace prof::base {

// A word for a shell, quoted if that is necessary.
std::string shell_word(std::string_view text);

}  // namespace prof::base
