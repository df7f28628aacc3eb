// The text that `prof --version --verbose` prints.
#pragma once

#include <string>

namespace prof::cli {

// Returns how this prof was built: a line for each fact.
std::string build_info();

}  // namespace prof::cli
